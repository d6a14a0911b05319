import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killedContract } from "../contract/killed.ts";
import { mariadbSettings, noMariadb, startMariadb } from "../servers/mariadb.ts";
import { noPostgres, postgresSettings, startPostgres } from "../servers/postgres.ts";

// The name of the kind is that of the configuration, whatever the database is.
killedContract("JdbcCache", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-killed-"));
  return {
    settings: { "JdbcCache.url": `jdbc:sqlite:${join(folder, "cache.db")}` },
    remove: () => rm(folder, { recursive: true }),
  };
});

killedContract(
  "JdbcCache",
  noPostgres === undefined
    ? async () => {
        const server = await startPostgres();
        return { settings: postgresSettings(server, "JdbcCache"), remove: server.remove };
      }
    : { skipped: noPostgres },
);

killedContract(
  "JdbcCache",
  noMariadb === undefined
    ? async () => {
        const server = await startMariadb();
        return { settings: mariadbSettings(server, "JdbcCache"), remove: server.remove };
      }
    : { skipped: noMariadb },
);
