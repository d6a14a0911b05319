import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { storeContract } from "../../test/contract/store.ts";
import { mariadbSettings, noMariadb, startMariadb } from "../../test/servers/mariadb.ts";
import { noPostgres, postgresSettings, startPostgres } from "../../test/servers/postgres.ts";
import { Config, type Snapshot } from "../config/store.ts";
import { jdbc } from "./jdbc.ts";

const placeOf = (settings: Snapshot, remove: () => Promise<void>) => ({
  open: (context: Parameters<typeof jdbc.open>[1]) => jdbc.open(new Config(settings), context),
  timeStep: 50,
  remove,
});

storeContract("JdbcCache in SQLite", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-sqlite-"));
  return placeOf({ "JdbcCache.url": `jdbc:sqlite:${join(folder, "cache.db")}` }, () =>
    rm(folder, { recursive: true }),
  );
});

storeContract(
  "JdbcCache in PostgreSQL",
  noPostgres === undefined
    ? async () => {
        const server = await startPostgres();
        return placeOf(postgresSettings(server, "JdbcCache"), server.remove);
      }
    : { skipped: noPostgres },
);

storeContract(
  "JdbcCache in MariaDB",
  noMariadb === undefined
    ? async () => {
        const server = await startMariadb();
        return placeOf(mariadbSettings(server, "JdbcCache"), server.remove);
      }
    : { skipped: noMariadb },
);
