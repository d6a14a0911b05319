import { availableParallelism } from "node:os";
import { openSql, type Sql } from "../clients/sql.ts";
import { untilAborted } from "../clients/until-aborted.ts";
import { defineKeys, type Settings } from "../config/keys.ts";
import { fail } from "../core/errors.ts";
import type { Columns } from "./jdbc-columns.ts";
import { jdbcDialects, type TableNames } from "./jdbc-dialects.ts";
import { locksOn } from "./jdbc-locks.ts";
import { isLasting, prepareLocks, prepareTable, type Spoken } from "./jdbc-prepare.ts";
import { type Table, tableOn } from "./jdbc-table.ts";
import { statsOf, trimTables } from "./jdbc-trim.ts";
import { derivativePrefix, infoPrefix } from "./names.ts";
import { defineStore, type Store, type StoreContext } from "./store.ts";

const jdbcCacheKeys = defineKeys({
  "JdbcCache.url": {
    type: "string",
    default: "jdbc:postgresql://localhost:5432/cantaloupe",
    doc: "The database that keeps pictures, by its URL: `jdbc:postgresql:`, `jdbc:mysql:`, `jdbc:mariadb:` or `jdbc:sqlite:`, and the same without `jdbc:`. It is encrypted where the URL asks for it (`sslmode=require`, say).",
    restart: true,
  },
  "JdbcCache.user": {
    type: "string",
    default: "postgres",
    doc: "The user of the database, unless its URL names one. Tables that are missing are made, which takes the right to do so.",
    restart: true,
  },
  "JdbcCache.password": {
    type: "secret",
    default: "",
    doc: "The password of that user.",
    restart: true,
  },
  "JdbcCache.connection_timeout": {
    type: "seconds",
    default: 10,
    min: 0.1,
    max: 300,
    doc: "Seconds after which an attempt to reach the database is given up.",
    restart: true,
  },
  "JdbcCache.max_connections": {
    type: "integer",
    default: null,
    min: 1,
    max: 1_000,
    doc: "How many connections each worker process may have open at a time; blank for two for each processor and one more.",
    restart: true,
  },
  "JdbcCache.derivative_image_table": {
    type: "string",
    default: "derivative_cache",
    doc: "The table of pictures: columns `operations`, `image` and `last_accessed`. One of another program is used as it is, and only what Vitrine wrote is removed from it. Locks are kept in a table of this name with `_locks` behind it.",
    restart: true,
  },
  "JdbcCache.info_table": {
    type: "string",
    default: "info_cache",
    doc: "The table of what is known of images: columns `identifier`, `info` and `last_accessed`.",
    restart: true,
  },
});

/** Milliseconds after which a statement is given up, and a sweep of the background as a whole. */
const statementMs = 60_000;
const backgroundMs = 300_000;
/** Between two sweeps of the background so many entries are put at least. */
const leastPuts = 256;
/** And a share of all there are, so that counting them stays cheap. */
const countedEvery = 64;

/** Entries in two tables of a database, as Cantaloupe has them. */
export const jdbc = defineStore({
  keys: jdbcCacheKeys,
  open: async (settings, context) => {
    const names = tablesOf(settings);
    const sql = await openSql(
      {
        key: "JdbcCache.url",
        url: settings["JdbcCache.url"],
        user: settings["JdbcCache.user"],
        password: settings["JdbcCache.password"],
      },
      {
        connections: settings["JdbcCache.max_connections"] ?? 2 * availableParallelism() + 1,
        connectMs: settings["JdbcCache.connection_timeout"] * 1000,
        statementMs,
      },
      { purpose: "JdbcCache", log: context.log },
    );
    return storeOn(sql, names, context);
  },
});

interface Names {
  readonly images: TableNames;
  readonly infos: TableNames;
}

const tablesOf = (settings: Settings<typeof jdbcCacheKeys>): Names => {
  const images = tableName(settings, "JdbcCache.derivative_image_table");
  const infos = tableName(settings, "JdbcCache.info_table");
  if (images.toLowerCase() === infos.toLowerCase())
    fail(
      "malformed",
      `JdbcCache.info_table: expected another table than that of pictures; got ${infos}.`,
    );
  return {
    images: { table: images, name: "operations", value: "image" },
    infos: { table: infos, name: "identifier", value: "info" },
  };
};

/** A name, with one of a schema before it or not; neither needs quoting to be safe. */
const plainName = /^[a-z_][a-z0-9_]{0,50}(?:\.[a-z_][a-z0-9_]{0,50})?$/i;

const tableName = (
  settings: Settings<typeof jdbcCacheKeys>,
  key: "JdbcCache.derivative_image_table" | "JdbcCache.info_table",
): string =>
  plainName.test(settings[key])
    ? settings[key]
    : fail(
        "malformed",
        `${key}: expected a table's name of letters, digits and _, with a schema and a dot before it or not; got '${settings[key]}'.`,
      );

const storeOn = async (sql: Sql, names: Names, context: StoreContext): Promise<Store> => {
  const { ttlMs, bounds, log, now = () => new Date() } = context;
  const spoken: Spoken = { sql, dialect: jdbcDialects[sql.dialect], log };
  const tables = remembered((signal) => prepare(spoken, names, signal));
  const locks = remembered(async (signal) => {
    const table = `${names.images.table}_locks`;
    await prepareLocks(spoken, table, signal);
    return locksOn(sql, spoken.dialect, table);
  });
  const closing = new AbortController();
  let untilSweep = leastPuts;
  let isSweeping = false;
  let swept = Promise.resolve();
  let isTold = false;

  const inTable = async <T>(
    name: string,
    signal: AbortSignal,
    call: (table: Table) => Promise<T>,
  ): Promise<T> => {
    const { images, infos } = await tables.get(signal);
    try {
      return await call(name.startsWith(infoPrefix) ? infos : images);
    } catch (error) {
      // Somebody may have dropped or changed them.
      if (!signal.aborted) tables.forget();
      throw error;
    }
  };

  const all = async (signal: AbortSignal): Promise<readonly Table[]> => {
    const { images, infos } = await tables.get(signal);
    return [images, infos];
  };

  const sweepAside = async (): Promise<void> => {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(backgroundMs)]);
    const before = ttlMs > 0 ? { before: new Date(now().getTime() - ttlMs) } : {};
    try {
      const found = await all(signal);
      await trimTables(found, { ...before, bounds }, signal);
      const { entries } = await statsOf(found, signal);
      untilSweep = Math.max(leastPuts, Math.floor(entries / countedEvery));
    } catch (error) {
      if (!closing.signal.aborted)
        log.warn("The derivative cache could not be kept to its bounds.", { error });
    }
  };

  const countPut = (): void => {
    const isBounded = bounds.bytes > 0 || bounds.entries > 0 || ttlMs > 0;
    if (!isBounded || --untilSweep > 0 || isSweeping) return;
    untilSweep = leastPuts;
    isSweeping = true;
    swept = sweepAside().finally(() => {
      isSweeping = false;
    });
  };

  // A database that is away now may be there later; tables that are not fit will not mend.
  await tables.get(AbortSignal.timeout(statementMs)).catch(async (error) => {
    if (isLasting(error)) {
      await sql.close();
      throw error;
    }
    log.warn("The database of the derivative cache cannot be reached; it is tried again.", {
      error,
    });
  });

  return {
    get: (name, signal) => inTable(name, signal, (table) => table.get(name, signal)),

    async put(name, bytes, signal) {
      await inTable(name, signal, async (table) => {
        if (bytes.length <= table.mostBytes) return table.put(name, bytes, now(), signal);
        if (!isTold)
          log.warn("An entry is larger than the database takes; it and its like are not kept.", {
            bytes: bytes.length,
            most: table.mostBytes,
          });
        isTold = true;
      });
      countPut();
    },

    touch: (name, signal) => inTable(name, signal, (table) => table.touch(name, now(), signal)),

    async remove(prefix, signal) {
      if (prefix !== "") return inTable(prefix, signal, (table) => table.remove(prefix, signal));
      const { images, infos } = await tables.get(signal);
      return (
        (await images.remove(derivativePrefix, signal)) + (await infos.remove(infoPrefix, signal))
      );
    },

    async sweep(sweep, signal) {
      const gone = await trimTables(await all(signal), sweep, signal);
      if (locks.isKnown()) await (await locks.get(signal)).sweep(signal);
      return gone;
    },

    stats: async (signal) => statsOf(await all(signal), signal),

    async lock(name, ms, signal) {
      return (await locks.get(signal)).take(name, ms, signal);
    },

    async close() {
      closing.abort(new Error("The derivative cache is closing."));
      await swept;
      await sql.close();
    },
  };
};

const prepare = async (
  spoken: Spoken,
  names: Names,
  signal: AbortSignal,
): Promise<{ readonly images: Table; readonly infos: Table }> => {
  const { sql, dialect } = spoken;
  const most = await mostBytesOf(spoken, signal);
  const open = (of: TableNames, found: Columns, first: string): Table =>
    tableOn(sql, of, { ...found, mostBytes: Math.min(found.mostBytes, most) }, { dialect, first });
  const images = await prepareTable(spoken, names.images, signal);
  const infos = await prepareTable(spoken, names.infos, signal);
  return {
    images: open(names.images, images, derivativePrefix),
    infos: open(names.infos, infos, infoPrefix),
  };
};

/** What a statement has beside an entry, in bytes. */
const statementBytes = 4_096;
/** Some pictures are larger than this. */
const roomyBytes = 16_777_216;

const mostBytesOf = async ({ sql, dialect, log }: Spoken, signal: AbortSignal): Promise<number> => {
  if (dialect.mostBytes === undefined) return Number.POSITIVE_INFINITY;
  const { rows } = await sql.run({ text: dialect.mostBytes }, signal);
  const most = Number(rows[0]?.["most"]);
  if (most < roomyBytes)
    log.warn("max_allowed_packet of the database is small: larger pictures are not kept.", {
      most,
    });
  return most - statementBytes;
};

/** What takes a while to find out, found out once, and again after it failed or was forgotten. */
const remembered = <T>(find: (signal: AbortSignal) => Promise<T>) => {
  let found: Promise<T> | undefined;
  const forget = (): void => {
    found = undefined;
  };
  const start = (): Promise<T> => {
    // Those who wait for it come and go: it has a limit of its own.
    const finding = find(AbortSignal.timeout(statementMs));
    finding.catch(() => {
      if (found === finding) forget();
    });
    return finding;
  };
  return {
    get(signal: AbortSignal): Promise<T> {
      return untilAborted(signal, () => {
        found ??= start();
        return found;
      });
    },
    forget,
    isKnown: (): boolean => found !== undefined,
  };
};
