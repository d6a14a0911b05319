import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { type Database, findProgram, startDatabase } from "./database.ts";

const versions = (): readonly string[] => {
  try {
    return readdirSync("/usr/lib/postgresql").map((v) => `/usr/lib/postgresql/${v}/bin`);
  } catch {
    return [];
  }
};

const command = findProgram("postgres", versions());
const initdb = findProgram("initdb", versions());

const postgresUser = "vitrine";
const postgresPassword = "secret of postgres";

/** Why there is no PostgreSQL for tests; undefined where there is one. */
export const noPostgres =
  command === undefined || initdb === undefined
    ? "PostgreSQL is not installed: apt-get install postgresql"
    : undefined;

/** Starts a PostgreSQL with an empty database `vitrine`, whose collation is not bytewise. */
export const startPostgres = (): Promise<Database> =>
  startDatabase({
    name: "postgres",
    command: command ?? "postgres",
    // It refuses to run as root.
    user: "postgres",
    args: ({ folder, port }) => [
      ...["-D", join(folder, "data"), "-p", `${port}`, "-k", folder],
      ...["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "max_connections=40"],
    ],
    prepare: async ({ folder }, run) => {
      const secret = join(folder, "secret");
      await writeFile(secret, postgresPassword, { mode: 0o644 });
      await run(initdb ?? "initdb", [
        ...["-D", join(folder, "data"), "-U", postgresUser, `--pwfile=${secret}`],
        ...["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"],
      ]);
    },
    answers: async ({ port }) => {
      const client = postgresClient(port, "postgres");
      client.on("error", () => {});
      try {
        await client.connect();
        const { rowCount } = await client.query(
          "SELECT 1 FROM pg_database WHERE datname = 'vitrine'",
        );
        if (rowCount === 0) await client.query("CREATE DATABASE vitrine");
        return true;
      } catch {
        return false;
      } finally {
        await client.end().catch(() => {});
      }
    },
  });

/** The settings of a source or cache of this kind that use it. */
export const postgresSettings = ({ port }: Database, kind: string): Record<string, string> => ({
  [`${kind}.url`]: `jdbc:postgresql://127.0.0.1:${port}/vitrine`,
  [`${kind}.user`]: postgresUser,
  [`${kind}.password`]: postgresPassword,
});

/** A client for tests that inspect the content; the caller connects and ends it. */
export const postgresClient = (port: number, database = "vitrine"): pg.Client =>
  new pg.Client({
    host: "127.0.0.1",
    port,
    user: postgresUser,
    password: postgresPassword,
    database,
  });
