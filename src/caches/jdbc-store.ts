import type { Sql } from "../clients/sql.ts";
import type { Columns } from "./jdbc-columns.ts";
import { jdbcDialects, type TableNames } from "./jdbc-dialects.ts";
import { locksOn } from "./jdbc-locks.ts";
import { isPermanent, prepareLocks, prepareTable, type SqlWithDialect } from "./jdbc-prepare.ts";
import { type Table, tableOn } from "./jdbc-table.ts";
import { statsOf, trimTables } from "./jdbc-trim.ts";
import { derivativePrefix, infoPrefix } from "./names.ts";
import { remembered } from "./remembered.ts";
import type { Store, StoreContext } from "./store.ts";

/** Time limits in milliseconds of preparing tables and of a background sweep. */
const preparingMs = 60_000;
const backgroundMs = 300_000;
/** Minimum number of writes between two background sweeps. */
const minPuts = 256;
/** And a fraction of all entries, so that counting them stays cheap. */
const countedEvery = 64;

/** The tables of derivatives and of infos. */
export interface JdbcNames {
  readonly images: TableNames;
  readonly infos: TableNames;
}

/** A store in two tables of a database, which are created if missing. */
export const storeOn = async (
  sql: Sql,
  names: JdbcNames,
  context: StoreContext,
): Promise<Store> => {
  const { ttlMs, bounds, log, now = () => new Date() } = context;
  const spoken: SqlWithDialect = { sql, dialect: jdbcDialects[sql.dialect], log };
  const tables = remembered(preparingMs, (signal) => prepare(spoken, names, signal));
  const locks = remembered(preparingMs, async (signal) => {
    const table = `${names.images.table}_locks`;
    await prepareLocks(spoken, table, signal);
    return locksOn(sql, spoken.dialect, table);
  });
  const closing = new AbortController();
  let untilSweep = minPuts;
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
      // The tables may have been dropped or changed.
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
      untilSweep = Math.max(minPuts, Math.floor(entries / countedEvery));
    } catch (error) {
      if (!closing.signal.aborted)
        log.warn("The derivative cache could not be trimmed to its limits.", { error });
    }
  };

  const countPut = (): void => {
    const isBounded = bounds.bytes > 0 || bounds.entries > 0 || ttlMs > 0;
    if (!isBounded || --untilSweep > 0 || isSweeping) return;
    untilSweep = minPuts;
    isSweeping = true;
    swept = sweepAside().finally(() => {
      isSweeping = false;
    });
  };

  // An unreachable database may return; unsuitable tables stay so.
  await tables.get(AbortSignal.timeout(preparingMs)).catch(async (error) => {
    if (isPermanent(error)) {
      await sql.close();
      throw error;
    }
    log.warn("The database of the derivative cache cannot be reached; retrying.", {
      error,
    });
  });

  return {
    notes: {
      read: (signal) => inTable(infoPrefix, signal, ({ notes }) => notes.read(signal)),
      write: (bytes, signal) =>
        inTable(infoPrefix, signal, ({ notes }) => notes.write(bytes, signal)),
    },

    get: (name, signal) => inTable(name, signal, (table) => table.get(name, signal)),

    async put(name, bytes, signal) {
      await inTable(name, signal, async (table) => {
        if (bytes.length <= table.maxBytes) return table.put(name, bytes, now(), signal);
        if (!isTold)
          log.warn(
            "An entry is larger than the database accepts; entries of that size are not cached.",
            {
              bytes: bytes.length,
              max: table.maxBytes,
            },
          );
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

    async stats(signal, prefix = "") {
      if (prefix !== "") return inTable(prefix, signal, (table) => table.stats(signal, prefix));
      return statsOf(await all(signal), signal);
    },

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
  spoken: SqlWithDialect,
  names: JdbcNames,
  signal: AbortSignal,
): Promise<{ readonly images: Table; readonly infos: Table }> => {
  const { sql, dialect } = spoken;
  const max = await maxBytesOf(spoken, signal);
  const open = (of: TableNames, found: Columns, first: string): Table =>
    tableOn(sql, of, { ...found, maxBytes: Math.min(found.maxBytes, max) }, { dialect, first });
  const images = await prepareTable(spoken, names.images, signal);
  const infos = await prepareTable(spoken, names.infos, signal);
  return {
    images: open(names.images, images, derivativePrefix),
    infos: open(names.infos, infos, infoPrefix),
  };
};

/** Overhead of a statement besides the entry, in bytes. */
const statementBytes = 4_096;
/** Some images are larger than this. */
const roomyBytes = 16_777_216;

const maxBytesOf = async (
  { sql, dialect, log }: SqlWithDialect,
  signal: AbortSignal,
): Promise<number> => {
  if (dialect.maxBytes === undefined) return Number.POSITIVE_INFINITY;
  const { rows } = await sql.run({ text: dialect.maxBytes }, signal);
  const max = Number(rows[0]?.["most"]);
  if (max < roomyBytes)
    log.warn("max_allowed_packet of the database is small: larger derivatives are not cached.", {
      max,
    });
  return max - statementBytes;
};
