import type { Amount } from "./cache.ts";
import type { Table, UsedEntry } from "./jdbc-table.ts";
import type { Bounds, Sweep } from "./store.ts";

interface Sum {
  entries: number;
  bytes: number;
}

/** The content of all tables together. */
export const statsOf = async (tables: readonly Table[], signal: AbortSignal): Promise<Amount> => {
  const sum: Sum = { entries: 0, bytes: 0 };
  for (const table of tables) {
    const { entries, bytes } = await table.stats(signal);
    sum.entries += entries;
    sum.bytes += bytes;
  }
  return sum;
};

/**
 * Removes entries unused since `before`, then the least recently used of all tables beyond the
 * bounds.
 */
export const trimTables = async (
  tables: readonly Table[],
  { before, bounds }: Sweep,
  signal: AbortSignal,
): Promise<Amount> => {
  const gone: Sum = { entries: 0, bytes: 0 };
  if (before) for (const table of tables) await dropOld(table, before, gone, signal);
  if (bounds.bytes > 0 || bounds.entries > 0) await dropExcess(tables, bounds, gone, signal);
  return gone;
};

const dropOld = async (
  table: Table,
  before: Date,
  gone: Sum,
  signal: AbortSignal,
): Promise<void> => {
  for (;;) {
    const old = await table.oldest(before, signal);
    if ((await dropped(table, old, gone, signal)) === 0) return;
  }
};

const dropExcess = async (
  tables: readonly Table[],
  bounds: Bounds,
  gone: Sum,
  signal: AbortSignal,
): Promise<void> => {
  const held = await statsOf(tables, signal);
  const excess = {
    entries: bounds.entries > 0 ? held.entries - bounds.entries : 0,
    bytes: bounds.bytes > 0 ? held.bytes - bounds.bytes : 0,
  };
  while (isExceeded(excess)) {
    const going = await leastUsed(tables, excess, signal);
    let count = 0;
    for (const [table, entries] of going) count += await dropped(table, entries, gone, signal);
    // Other servers removed the same, or none of it is ours.
    if (count === 0) return;
    for (const { bytes } of [...going.values()].flat()) {
      excess.entries--;
      excess.bytes -= bytes;
    }
  }
};

const isExceeded = ({ entries, bytes }: Amount): boolean => entries > 0 || bytes > 0;

/** Some of the least recently used entries of all tables, but no more than exceed the bounds. */
const leastUsed = async (
  tables: readonly Table[],
  excess: Amount,
  signal: AbortSignal,
): Promise<ReadonlyMap<Table, readonly UsedEntry[]>> => {
  const found: { readonly table: Table; readonly used: UsedEntry }[] = [];
  for (const table of tables)
    for (const used of await table.oldest(undefined, signal)) found.push({ table, used });
  found.sort((a, b) => a.used.at - b.used.at);
  const left = { ...excess };
  const going = new Map<Table, UsedEntry[]>(tables.map((table) => [table, []]));
  for (const { table, used } of found) {
    if (!isExceeded(left)) break;
    going.get(table)?.push(used);
    left.entries--;
    left.bytes -= used.bytes;
  }
  return going;
};

const dropped = async (
  table: Table,
  entries: readonly UsedEntry[],
  gone: Sum,
  signal: AbortSignal,
): Promise<number> => {
  const names = entries.map(({ name }) => name);
  const count = await table.drop(names, signal);
  gone.entries += count;
  gone.bytes += entries.reduce((sum, { bytes }) => sum + bytes, 0);
  return count;
};
