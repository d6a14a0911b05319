import { homedir } from "node:os";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Definition } from "./keys.ts";
import { formatValue, parseValue } from "./parse.ts";

const doc = "";
const boolean: Definition = { type: "boolean", default: false, doc };
const integer: Definition = { type: "integer", default: 1, min: 1, max: 100, doc };
const large: Definition = { type: "integer", default: 1, min: 1, doc };
const number: Definition = { type: "number", default: 1, min: 0, doc };
const bytes: Definition = { type: "bytes", default: null, doc };
const filter: Definition = { type: "choice", choices: ["Box", "lanczos3"], default: "Box", doc };
const compression: Definition = {
  type: "choice",
  choices: ["LZW", "None"],
  default: "LZW",
  blank: "None",
  doc,
};
const list: Definition = { type: "list", default: [], doc };
const path: Definition = { type: "path", default: "", doc };
const color: Definition = { type: "color", default: "white", doc };

describe("a value", () => {
  test.each<[Definition, string, unknown]>([
    [boolean, "true", true],
    [boolean, "1", true],
    [boolean, "false", false],
    [boolean, "0", false],
    [integer, " 80 ", 80],
    [integer, "+5", 5],
    [integer, "", 1],
    [number, "1.5", 1.5],
    [number, ".5", 0.5],
    [number, "1e3", 1000],
    [bytes, "512K", 524_288],
    [bytes, "5MB", 5_242_880],
    [bytes, "2 g", 2_147_483_648],
    [bytes, "1.5 MB", 1_572_864],
    [bytes, "1T", 1024 ** 4],
    [bytes, "1pb", 1024 ** 5],
    [bytes, "-1", -1],
    [bytes, "100", 100],
    [bytes, "", null],
    [filter, "BOX", "Box"],
    [filter, "Lanczos3", "lanczos3"],
    [compression, "", "None"],
    [list, "a, b  c,,d", ["a", "b", "c", "d"]],
    [path, "~/pictures/", `${homedir()}/pictures/`],
    [path, "~other/x", "~other/x"],
    [color, "rgba(0, 0, 0, 100)", "rgba(0, 0, 0, 100)"],
  ])("of type %o parses %j as %j", (definition, text, value) => {
    expect(parseValue(definition, text)).toEqual({ ok: true, value });
  });

  test.each<[Definition, string, string]>([
    [boolean, "True", "true or false"],
    [boolean, "yes", "true or false"],
    [boolean, "toString", "true or false"],
    [integer, "ten", "an integer from 1 to 100"],
    [large, "9007199254740993", "an integer of at least 1"],
    [integer, "1.0", "an integer from 1 to 100"],
    [integer, "0", "an integer from 1 to 100"],
    [integer, "101", "an integer from 1 to 100"],
    [integer, "99999999999999999999", "an integer from 1 to 100"],
    [number, "-0.1", "a number of at least 0"],
    [number, "NaN", "a number of at least 0"],
    [number, "1,5", "a number of at least 0"],
    [bytes, "5X", "a number of bytes, such as 512K or 1.5G"],
    [bytes, "K", "a number of bytes, such as 512K or 1.5G"],
    [bytes, "1.2.3M", "a number of bytes, such as 512K or 1.5G"],
    [filter, "boxy", "one of Box, lanczos3"],
    [color, "reddish", "a colour"],
  ])("of type %o refuses %j: expected %s", (definition, text, expected) => {
    const parsed = parseValue(definition, text);
    expect(parsed.ok ? "taken" : parsed.expected).toContain(expected);
  });

  test("in bytes reads back as written", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        expect(parseValue(bytes, formatValue(bytes, value))).toEqual({ ok: true, value });
      }),
    );
  });

  test("never throws, whatever the text", () => {
    const types = [boolean, integer, number, bytes, filter, compression, list, path, color];
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.string(), (definition, text) => {
        expect(parseValue(definition, text).ok).toBeTypeOf("boolean");
      }),
    );
  });
});
