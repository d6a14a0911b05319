import { describe, expect, it } from "vitest";
import { random } from "../../../../test/random.ts";
import { BlockTable } from "./block-table.ts";
import type { PrecinctShape } from "./precincts.ts";
import { type PiecesRead, Slice, sliceAt, slicesOf, slicesWith } from "./slices.ts";

/** A precinct as large as an image: three bands that differ by a row and a column. */
const shape: PrecinctShape = {
  bands: [
    { band: 0, x: 3, y: 5, columns: 60, rows: 101, first: 0 },
    { band: 1, x: 3, y: 5, columns: 61, rows: 100, first: 6_060 },
    { band: 2, x: 3, y: 5, columns: 60, rows: 100, first: 12_160 },
  ],
  blocks: 18_160,
};

const places = shape.bands.flatMap(({ band, x, y, columns, rows, first }) =>
  Array.from({ length: columns * rows }, (_, at) => ({
    number: first + at,
    band,
    column: x + (at % columns),
    row: y + Math.floor(at / columns),
  })),
);

const sliceOf = ({ band, row }: (typeof places)[number]): number => {
  const own = shape.bands[band];
  if (own === undefined) throw new Error("Expected a band");
  return sliceAt(own, row - own.y, slicesOf(shape));
};

describe("slices of a precinct", () => {
  it("have few blocks each, and share out all rows", () => {
    const slices = slicesOf(shape);
    const counts = Array.from({ length: slices }, () => 0);
    for (const place of places) counts[sliceOf(place)] = (counts[sliceOf(place)] ?? 0) + 1;
    expect(counts.length).toBe(slices);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(Math.max(...counts)).toBeLessThan(4_096 + 200);
  });

  it("are found for the wanted blocks", () => {
    const slices = slicesOf(shape);
    expect(slicesWith(shape, slices, [undefined, undefined, undefined])).toEqual([]);
    for (const place of places) {
      const cells = { x: place.column, y: place.row, columns: 1, rows: 1 };
      const wanted = [0, 1, 2].map((band) => (band === place.band ? cells : undefined));
      expect(slicesWith(shape, slices, wanted)).toEqual([sliceOf(place)]);
    }
  });

  it("report for each block what was read, layer by layer", () => {
    const slices = slicesOf(shape);
    const table = new BlockTable(shape.blocks);
    for (const place of places) table.missing[place.number] = place.number % 31;
    const { read, expected } = packets(slices);
    const made = read.map(
      (pieces, slice) => new Slice(shape, { slice, slices }, table, { pieces, layers: 3 }),
    );
    for (const place of places) {
      const { number, band, column, row } = place;
      const block = made[sliceOf(place)]?.open().rowAt(band, row, [column, column + 2])[0];
      const pieces = expected.get(number) ?? [];
      expect(block).toEqual({ missing: pieces.length === 0 ? 0 : number % 31, pieces });
    }
  });
});

/** Three layers, each with pieces of some blocks; by slice, and by block in the expected order. */
const packets = (slices: number) => {
  const dice = random(3);
  const read: PiecesRead[] = Array.from({ length: slices }, () => []);
  const expected = new Map<number, object[]>();
  let offset = 0;
  const add = (place: (typeof places)[number], layer: number): void => {
    if (dice.whole(0, 2) === 0) return;
    const [length, passes] = [dice.whole(0, 4_000), dice.whole(1, 164)];
    read[sliceOf(place)]?.push(place.number, offset, length, passes, layer);
    const own = expected.get(place.number) ?? [];
    expected.set(place.number, [...own, { offset, length, passes, layer }]);
    offset += length;
  };
  for (const layer of [0, 1, 2]) for (const place of places) add(place, layer);
  return { read, expected };
};
