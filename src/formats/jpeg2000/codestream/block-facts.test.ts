import { expect, test } from "vitest";
import { areFactsFew, BlockFacts, factsOf } from "./block-facts.ts";
import type { Band, Resolution, TileGrid } from "./grid.ts";
import { KnownFacts } from "./known-blocks.ts";
import { shapeOf } from "./precincts.ts";

/**
 * A band of 5 x 4 blocks of 16 x 16, which begins in the second column and the third row of their
 * grid.
 */
const band = (kind: Band["kind"], first: number): Band => ({
  ...{ kind, first, magnitudeBits: 9, step: 1 },
  box: { x0: 16, y0: 32, x1: 96, y1: 96 },
  blocks: { x: 1, y: 2, columns: 5, rows: 4 },
});

/** Its precincts have 2 x 2 blocks of each band. */
const resolution: Resolution = {
  ...{ component: 0, level: 1, first: 7, blocks: 60 },
  box: { x0: 32, y0: 64, x1: 192, y1: 192 },
  precincts: { x: 0, y: 1, columns: 3, rows: 2 },
  ...{ precinctWidth: 6, precinctHeight: 6, blockWidth: 4, blockHeight: 4 },
  bands: [band(1, 7), band(2, 27), band(3, 47)],
};

test("block facts of a precinct are found by their numbers in the tile, without others", () => {
  const facts = new BlockFacts();
  const { bands, blocks } = shapeOf(resolution, 0);
  expect(bands.map(({ columns, rows }) => [columns, rows])).toEqual(Array(3).fill([1, 2]));
  const missing = Uint8Array.from({ length: blocks }, (_, block) => block);
  expect(facts.isKnown(resolution, bands)).toBe(false);
  // One piece of the band's second block, and two of the third band's.
  const pieces = [1, 100, 9, 1, 0, 5, 200, 8, 1, 0, 5, 208, 3, 1, 0, 5, 211, 4, 1, 0];
  facts.note(resolution, bands, missing, [pieces]);
  expect(facts.isKnown(resolution, bands)).toBe(true);
  const known = new KnownFacts(facts);
  const all = [0, 1, 2].map((order) =>
    [2, 3].map((row) => known.of({ resolution, band: order, column: 1, row })),
  );
  const none = { missing: 0, pieces: [] };
  const piece = (offset: number, length: number, passes: number) => ({
    ...{ offset, length, passes, layer: 0 },
  });
  expect(all).toEqual([
    [none, { missing: 1, pieces: [piece(100, 9, 1)] }],
    [none, none],
    [none, { missing: 5, pieces: [piece(200, 8, 1), piece(208, 7, 2)] }],
  ]);
  const { states } = facts.of(resolution);
  expect([states[0], states[5], states[1]]).toEqual([
    factsOf.nothing,
    factsOf.stored,
    factsOf.unknown,
  ]);
  const before = facts.bytes;
  expect(before).toBe(60 * 16);
  facts.clear();
  expect([facts.bytes, facts.isKnown(resolution, bands)]).toEqual([0, false]);
});

test("a precinct stored twice has the facts of the second time", () => {
  const { bands, blocks } = shapeOf(resolution, 0);
  const missing = Uint8Array.from({ length: blocks }, (_, block) => block);
  const first = [1, 100, 9, 1, 0, 5, 200, 8, 1, 0, 5, 208, 3, 2, 0];
  const facts = new BlockFacts();
  const known = new KnownFacts(facts);
  const all = () =>
    [0, 1, 2].map((order) =>
      [2, 3].map((row) => known.of({ resolution, band: order, column: 1, row })),
    );
  facts.note(resolution, bands, missing, [first]);
  const once = all();
  const { bytes } = facts;
  facts.note(resolution, bands, missing, [first]);
  expect(all()).toEqual(once);
  expect(facts.bytes).toBe(bytes);
  facts.note(resolution, bands, missing, [[5, 300, 4, 1, 0]]);
  const piece = { offset: 300, length: 4, passes: 1, layer: 0 };
  expect(all().flat().slice(0, 5)).toEqual(Array(5).fill({ missing: 0, pieces: [] }));
  expect(all()[2]?.[1]).toEqual({ missing: 5, pieces: [piece] });
});

test("only tiles with one layer, few blocks and blocks in few pieces qualify", () => {
  const grid = (style: number): TileGrid => ({
    box: resolution.box,
    components: [{ parameters: { coding: { style } } }] as unknown as TileGrid["components"],
    blocks: 1_000,
  });
  const stored = { layers: 1, bytes: 2 ** 32 - 1 };
  const room = 16_000;
  const [ht, bypass, terminated, mixed] = [64, 1, 4, 128 + 64];
  expect(
    [0, ht, bypass, terminated, mixed].map((style) => areFactsFew(grid(style), stored, room)),
  ).toEqual([true, true, false, false, false]);
  expect(areFactsFew(grid(0), { ...stored, layers: 2 }, room)).toBe(false);
  expect(areFactsFew(grid(0), { ...stored, bytes: 2 ** 32 }, room)).toBe(false);
  expect(areFactsFew(grid(0), stored, room - 1)).toBe(false);
});
