import { describe, expect, it } from "vitest";
import type { CachedParts } from "../tiff/structure/cached-parts.ts";
import type { StoredLevel } from "../tiff/structure/pages.ts";
import { DecodedTiles, decodedTile, isDecoded, keepDecoded } from "./decoded-tiles.ts";

const kind = { compression: 7, predictor: 1, tile: { width: 4, height: 2 }, samples: 3 } as const;

const level = (at: number, across: number, down: number, more: object = {}): StoredLevel =>
  ({ ...kind, across, down, planar: false, directory: { at }, ...more }) as StoredLevel;

const parts = (id: number): CachedParts => ({ id }) as CachedParts;

/** Memory of a level of 3 x 2 tiles of 24 bytes, with its words. */
const bytes = 64 + 6 * 24;

describe("the decoded tile cache", () => {
  it("returns each stored tile", () => {
    const room = new DecodedTiles(100_000).of(parts(1), level(8, 3, 2));
    if (room === undefined) throw new Error("Expected room.");
    const pixels = Uint8Array.from({ length: 30 }, (_, at) => at);
    expect(isDecoded(room, 5)).toBe(false);
    keepDecoded(room, 5, kind, pixels);
    expect(isDecoded(room, 5)).toBe(true);
    expect(isDecoded(room, 4)).toBe(false);
    expect([...decodedTile(room, 5, kind)]).toEqual([...pixels.subarray(0, 24)]);
    expect([...decodedTile(room, 4, kind)]).toEqual(Array.from({ length: 24 }, () => 0));
  });

  it("matches only the same file state and level", () => {
    const tiles = new DecodedTiles(100_000);
    const room = tiles.of(parts(1), level(8, 3, 2));
    expect(tiles.of(parts(1), level(8, 3, 2))).toBe(room);
    expect(tiles.of(parts(2), level(8, 3, 2))).not.toBe(room);
    expect(tiles.of(parts(1), level(9, 3, 2))).not.toBe(room);
    expect(tiles.bytes).toBe(3 * bytes);
  });

  it("stays within its limit and evicts the least recently used first", () => {
    const tiles = new DecodedTiles(4 * bytes);
    const rooms = [1, 2, 3, 4].map((id) => tiles.of(parts(id), level(8, 3, 2)));
    tiles.of(parts(1), level(8, 3, 2));
    tiles.of(parts(5), level(8, 3, 2));
    expect(tiles.bytes).toBe(4 * bytes);
    expect(tiles.of(parts(1), level(8, 3, 2))).toBe(rooms[0]);
    expect(tiles.of(parts(2), level(8, 3, 2))).not.toBe(rooms[1]);
  });

  it.each([
    ["too many tiles", level(8, 17, 1)],
    ["planes one after the other", level(8, 3, 2, { planar: true })],
    ["four samples", level(8, 3, 2, { samples: 4 })],
  ])("does not store levels with %s", (_, other) => {
    expect(new DecodedTiles(100_000).of(parts(1), other)).toBeUndefined();
  });

  it("stores nothing where tiles would take most of the room, or without room", () => {
    expect(new DecodedTiles(2 * bytes).of(parts(1), level(8, 3, 2))).toBeUndefined();
    expect(new DecodedTiles(0).of(parts(1), level(8, 3, 2))).toBeUndefined();
  });
});
