import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "libsql";
import { azuriteMissing, azuriteProgram, startAzurite } from "./azurite.ts";
import { mariadbClient, mariadbSettings, noMariadb, startMariadb } from "./mariadb.ts";
import { noPostgres, postgresClient, postgresSettings, startPostgres } from "./postgres.ts";
import { s3Missing, s3Program, startS3 } from "./s3.ts";

/** A remote place for images, and the settings by which a source finds them. */
export interface ImagePlace {
  readonly settings: Readonly<Record<string, string>>;
  put(identifier: string, bytes: Uint8Array): Promise<void>;
  remove(): Promise<void>;
}

/** A kind of such places, or why it cannot be tested with. */
export interface ImagePlaces {
  readonly name: string;
  readonly source: "S3Source" | "AzureStorageSource" | "JdbcSource";
  readonly missing?: string | undefined;
  start(): Promise<ImagePlace>;
}

const signal = new AbortController().signal;

/** The statements by which images are found in the databases below. */
export const imageStatements = {
  "JdbcSource.lookup_sql": "SELECT data FROM images WHERE name = ?;",
  "JdbcSource.last_modified_sql": "SELECT changed FROM images WHERE name = ? -- the newest",
};

const inSqlite = async (): Promise<ImagePlace> => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-images-"));
  const path = join(folder, "images.db");
  const database = new Sqlite(path);
  database.exec("CREATE TABLE images (name TEXT PRIMARY KEY, data BLOB, changed TEXT)");
  const put = database.prepare("REPLACE INTO images VALUES (?, ?, ?)");
  return {
    settings: { ...imageStatements, "JdbcSource.url": `jdbc:sqlite:${path}` },
    async put(identifier, bytes) {
      put.run(identifier, Buffer.from(bytes), new Date().toISOString());
    },
    async remove() {
      database.close();
      await rm(folder, { recursive: true });
    },
  };
};

const inPostgres = async (): Promise<ImagePlace> => {
  const server = await startPostgres();
  const client = postgresClient(server.port);
  await client.connect();
  await client.query(
    "CREATE TABLE images (name TEXT PRIMARY KEY, data BYTEA, changed TIMESTAMPTZ, number INTEGER)",
  );
  return {
    settings: { ...imageStatements, ...postgresSettings(server, "JdbcSource") },
    async put(identifier, bytes) {
      await client.query(
        "INSERT INTO images VALUES ($1, $2, clock_timestamp(), 7) ON CONFLICT (name) DO UPDATE SET data = $2, changed = clock_timestamp()",
        [identifier, Buffer.from(bytes)],
      );
    },
    async remove() {
      await client.end();
      await server.remove();
    },
  };
};

const inMariadb = async (): Promise<ImagePlace> => {
  const server = await startMariadb();
  const client = await mariadbClient(server.port);
  await client.query(
    "CREATE TABLE images (name VARCHAR(200) COLLATE utf8mb4_bin PRIMARY KEY, data LONGBLOB, changed DATETIME(3))",
  );
  return {
    settings: { ...imageStatements, ...mariadbSettings(server, "JdbcSource") },
    async put(identifier, bytes) {
      const values = [identifier, Buffer.from(bytes)];
      await client.execute("REPLACE INTO images VALUES (?, ?, NOW(3))", values);
    },
    async remove() {
      await client.end();
      await server.remove();
    },
  };
};

/** A place whose objects are written by a client of the caches. */
const withObjects = async (
  server: Awaited<ReturnType<typeof startS3 | typeof startAzurite>>,
): Promise<ImagePlace> => {
  const objects = await server.open();
  return {
    settings: server.sourceSettings,
    put: (identifier, bytes) => objects.put(identifier, bytes, signal),
    async remove() {
      objects.close();
      await server.remove();
    },
  };
};

/** Every kind of database that can store images. */
export const imageDatabases: readonly ImagePlaces[] = [
  { name: "SQLite", source: "JdbcSource", start: inSqlite },
  { name: "PostgreSQL", source: "JdbcSource", missing: noPostgres, start: inPostgres },
  { name: "MariaDB", source: "JdbcSource", missing: noMariadb, start: inMariadb },
];

/** Every kind of remote place that can store images. */
export const imagePlaces = async (): Promise<readonly ImagePlaces[]> => {
  const [s3, azurite] = await Promise.all([s3Program(), azuriteProgram()]);
  return [
    {
      name: "S3",
      source: "S3Source",
      missing: s3 === undefined ? s3Missing : undefined,
      start: async () => withObjects(await startS3(s3 ?? "")),
    },
    {
      name: "Azure Storage",
      source: "AzureStorageSource",
      missing: azurite === undefined ? azuriteMissing : undefined,
      start: async () => withObjects(await startAzurite(azurite ?? "")),
    },
    ...imageDatabases,
  ];
};
