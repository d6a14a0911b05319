import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Connection, createConnection } from "mysql2/promise";
import { type Database, findProgram, startDatabase } from "./database.ts";

const command = findProgram("mariadbd");
const install = findProgram("mariadb-install-db");

const mariadbUser = "vitrine";
const mariadbPassword = "secret of mariadb";

/** Why there is no MariaDB for tests; undefined where there is one. */
export const noMariadb =
  command === undefined || install === undefined
    ? "MariaDB is not installed: apt-get install mariadb-server"
    : undefined;

/** Starts a MariaDB with an empty database `vitrine`. */
export const startMariadb = (): Promise<Database> => {
  const root = process.getuid?.() === 0 ? ["--user=root"] : [];
  return startDatabase({
    name: "mariadb",
    command: command ?? "mariadbd",
    args: ({ folder, port }) => [
      ...["--no-defaults", ...root, `--datadir=${join(folder, "data")}`, `--port=${port}`],
      ...[`--socket=${join(folder, "socket")}`, `--pid-file=${join(folder, "pid")}`],
      ...["--bind-address=127.0.0.1", `--init-file=${join(folder, "first.sql")}`],
      ...["--skip-name-resolve", "--innodb-flush-log-at-trx-commit=0"],
    ],
    prepare: async ({ folder }, run) => {
      await writeFile(
        join(folder, "first.sql"),
        [
          "CREATE DATABASE IF NOT EXISTS vitrine;",
          `CREATE USER IF NOT EXISTS '${mariadbUser}'@'%' IDENTIFIED BY '${mariadbPassword}';`,
          `GRANT ALL ON vitrine.* TO '${mariadbUser}'@'%';`,
        ].join("\n"),
      );
      await run(install ?? "mariadb-install-db", [
        ...["--no-defaults", ...root, `--datadir=${join(folder, "data")}`, "--skip-test-db"],
      ]);
    },
    answers: async ({ port }) => {
      try {
        const client = await mariadbClient(port);
        await client.end();
        return true;
      } catch {
        return false;
      }
    },
  });
};

/** The settings of a source or cache of this kind that use it. */
export const mariadbSettings = ({ port }: Database, kind: string): Record<string, string> => ({
  [`${kind}.url`]: `jdbc:mariadb://127.0.0.1:${port}/vitrine`,
  [`${kind}.user`]: mariadbUser,
  [`${kind}.password`]: mariadbPassword,
});

/** A client for tests that inspect the content; the caller ends it. */
export const mariadbClient = (port: number): Promise<Connection> =>
  createConnection({
    host: "127.0.0.1",
    port,
    user: mariadbUser,
    password: mariadbPassword,
    database: "vitrine",
    multipleStatements: true,
  });
