import { describe, expect, it } from "vitest";
import { cutTile, halveRows, withSamples } from "./samples.ts";

describe("halving a level", () => {
  it("averages four pixels, and fewer at an odd edge", () => {
    const above = Uint8Array.of(10, 20, 40);
    const below = Uint8Array.of(30, 40, 60);
    const half = new Uint8Array(2);
    halveRows({ above, below, width: 3 }, 1, half);
    expect([...half]).toEqual([25, 50]);
    halveRows({ above, below: above, width: 3 }, 1, half);
    expect([...half]).toEqual([15, 40]);
  });

  it("takes the colour of opaque pixels only", () => {
    const row = Uint8Array.of(200, 100, 0, 255, 7, 7, 7, 0);
    const half = new Uint8Array(4);
    halveRows({ above: row, below: row, width: 2 }, 4, half);
    expect([...half]).toEqual([200, 100, 0, 128]);
  });

  it("keeps 16 bits", () => {
    const half = new Uint16Array(1);
    const above = Uint16Array.of(65_535, 65_535);
    halveRows({ above, below: Uint16Array.of(65_535, 65_533), width: 2 }, 1, half);
    expect([...half]).toEqual([65_535]);
  });
});

describe("cutting a tile", () => {
  it("returns exactly its own pixels", () => {
    const row = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
    const tile = new Uint8Array(4);
    cutTile(row, { column: 1, across: 2, tile: 2 }, tile);
    expect([...tile]).toEqual([3, 4, 7, 8]);
  });
});

describe("changing the number of samples", () => {
  it("expands grey to RGB, with and without alpha", () => {
    expect([...withSamples(Uint8Array.of(9), 1, 3)]).toEqual([9, 9, 9]);
    expect([...withSamples(Uint8Array.of(9, 80), 2, 4)]).toEqual([9, 9, 9, 80]);
    expect([...withSamples(Uint8Array.of(9, 80), 2, 1)]).toEqual([9]);
    expect([...withSamples(Uint8Array.of(1, 2, 3, 4), 4, 3)]).toEqual([1, 2, 3]);
  });
});
