import { describe, expect, it } from "vitest";
import { type Position, readPosition } from "../core/overlay-description.ts";
import { enlarged, tiled } from "./pixels.ts";
import { fitted, placeOn, within } from "./placing.ts";

describe("a position", () => {
  it.each([
    ["top left", "top left"],
    ["BOTTOM_RIGHT", "bottom right"],
    [" right  bottom ", "bottom right"],
    ["center", "center"],
    ["Top", "top left"],
    ["center left", "left center"],
    ["Repeat", "repeat"],
    ["SCALED", "scaled"],
    ["", undefined],
    ["middle", undefined],
    ["top bottom", undefined],
  ])("is parsed from %j as %j", (text, expected) => {
    expect(readPosition(text)).toBe(expected);
  });

  it.each<[Position, number, number]>([
    ["top left", 10, 10],
    ["top center", 35, 10],
    ["top right", 60, 10],
    ["left center", 10, 30],
    ["center", 35, 30],
    ["right center", 60, 30],
    ["bottom left", 10, 50],
    ["bottom center", 35, 50],
    ["bottom right", 60, 50],
  ])("%s starts at %d, %d", (position, x, y) => {
    const size = { width: 30, height: 20 };
    expect(placeOn({ width: 100, height: 80 }, size, { position, inset: 10 })).toEqual({
      x,
      y,
      ...size,
    });
  });

  it("scaled is the largest that fits", () => {
    const room = within({ width: 120, height: 60 }, 10);
    expect(fitted({ width: 10, height: 5 }, room)).toEqual({ width: 80, height: 40 });
    expect(fitted({ width: 1000, height: 10 }, room)).toEqual({ width: 100, height: 1 });
    expect(within({ width: 15, height: 60 }, 10)).toEqual({ width: 1, height: 40 });
  });
});

describe("pixels", () => {
  const two = { width: 2, height: 1, data: Uint8Array.of(255, 0, 0, 255, 0, 0, 255, 0) };

  it("repeat from an origin in both directions", () => {
    const part = tiled(two, { x: 3, y: 7, width: 3, height: 1 }, { x: 4, y: 2 });
    expect([...part].filter((_, n) => n % 4 === 3)).toEqual([0, 255, 0]);
  });

  it("are enlarged without the colour of transparent ones", () => {
    const part = enlarged(two, { width: 4, height: 2 }, { x: 0, y: 1, width: 4, height: 1 });
    expect([...part]).toEqual([255, 0, 0, 255, 255, 0, 0, 191, 255, 0, 0, 64, 0, 0, 0, 0]);
  });
});
