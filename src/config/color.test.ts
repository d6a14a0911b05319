import { describe, expect, test } from "vitest";
import { ServerError } from "../core/errors.ts";
import { parseColor, readColor } from "./color.ts";

describe("a colour", () => {
  test.each([
    ["white", 255, 255, 255, 255],
    ["cyan", 0, 255, 255, 255],
    ["Magenta", 255, 0, 255, 255],
    ["darkkhaki", 189, 183, 107, 255],
    ["transparent", 0, 0, 0, 0],
    ["#fff", 255, 255, 255, 255],
    ["#12ab", 17, 34, 170, 187],
    ["#102030", 16, 32, 48, 255],
    ["#10203040", 16, 32, 48, 64],
    ["#ABCDEF", 171, 205, 239, 255],
    ["rgb(1,2,3)", 1, 2, 3, 255],
    ["rgba(0, 0, 0, 100)", 0, 0, 0, 100],
    ["rgba(0,0,0,1)", 0, 0, 0, 1],
    ["rgba(0,0,0,1.0)", 0, 0, 0, 255],
    ["rgba(0,0,0,.5)", 0, 0, 0, 128],
  ])("%s is parsed as %i, %i, %i, %i", (text, red, green, blue, alpha) => {
    expect(parseColor(text)).toEqual({ red, green, blue, alpha });
  });

  test.each([
    "",
    "whitish",
    "constructor",
    "#",
    "#12",
    "#12345",
    "#ggg",
    "rgb(256,0,0)",
    "rgb(1,2)",
    "rgb(1,2,3,4)",
    "rgba(1,2,3)",
    "rgba(1,2,3,1.5)",
    "rgb(10%,0,0)",
    "rgb(-1,0,0)",
  ])("%j is refused", (text) => {
    expect(readColor(text)).toBeUndefined();
    expect(() => parseColor(text)).toThrow(ServerError);
  });
});
