import { expect, it } from "vitest";
import { inOrder, type NamedEntry, sortedInTurns } from "./name-order.ts";

/** So many entries in no order. */
const entries = (count: number): readonly NamedEntry[] =>
  Array.from({ length: count }, (_, n) => ({
    kind: n % 50 === 0 ? "folder" : "file",
    name: `scan ${(n * 7_919) % count} ${n % 3 === 0 ? "r" : "V"}.tif`,
  }));

const { signal } = new AbortController();

it("many names are sorted in turns, between which other work is done", async () => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const names = entries(20_500);
  const sorted = await sortedInTurns(names, signal);
  isOver = true;
  expect(sorted).toEqual(names.toSorted(inOrder));
  expect(turns).toBeGreaterThan(20);
});

it("few names are sorted in the same order, and none at all", async () => {
  expect(await sortedInTurns(entries(7), signal)).toEqual(entries(7).toSorted(inOrder));
  expect(await sortedInTurns([], signal)).toEqual([]);
});

it("sorting ends with its request", async () => {
  const leaving = new AbortController();
  const sorting = sortedInTurns(entries(5_000), leaving.signal);
  leaving.abort(new Error("left"));
  await expect(sorting).rejects.toThrow("left");
});
