import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { variableOf } from "./environment.ts";
import { defineKeys } from "./keys.ts";
import { definitionsOf, evaluate } from "./layers.ts";
import { parseProperties } from "./properties.ts";

const keys = defineKeys({
  max_pixels: { type: "integer", default: 100, min: 0, doc: "" },
  max_age: { type: "integer", default: 60, blank: null, doc: "" },
  max_scale: { type: "number", default: 1, min: 0, doc: "" },
  name: { type: "string", default: "none", doc: "" },
  flag: { type: "boolean", default: true, doc: "" },
  "a.filter": { type: "choice", choices: ["box", "bell"], default: "box", doc: "" },
  "tif.compression": {
    type: "choice",
    choices: ["LZW", "None"],
    default: "LZW",
    blank: "None",
    doc: "",
  },
});
const definitions = definitionsOf([{ title: "Test", keys }]);

const settle = (
  text: string,
  env: Readonly<Record<string, string>> = {},
  runtime: Readonly<Record<string, string>> = {},
) => {
  const { values, origins, problems } = evaluate(definitions, {
    given: { name: "given" },
    chain: { files: [{ path: "f", properties: parseProperties(text), writable: true }] },
    runtime: new Map(Object.entries(runtime)),
    env,
  });
  return {
    values,
    name: Object.entries(values).find(([key]) => key === "name")?.[1],
    origins,
    messages: problems.map(({ severity, message }) => `${severity}: ${message}`),
  };
};

describe("the layers of a configuration", () => {
  test("apply in order: default, given value, file, change at run time, environment", () => {
    expect(settle("").values).toMatchObject({ max_pixels: 100 });
    expect(settle("").name).toBe("given");
    expect(settle("name = file").name).toBe("file");
    expect(settle("name = file", {}, { name: "changed" }).name).toBe("changed");
    expect(settle("name = file", { NAME: "env" }, { name: "changed" }).name).toBe("env");
  });

  test("are reported by origin", () => {
    const { origins } = settle("\nname = x\n", { A_FILTER: "BELL" }, { flag: "0" });
    expect(Object.fromEntries(origins)).toMatchObject({
      name: { layer: "file", file: "f", line: 2 },
      "a.filter": { layer: "environment", variable: "A_FILTER" },
      flag: { layer: "runtime" },
      max_pixels: { layer: "default" },
    });
  });

  test("report every invalid value at once: key, expected, actual, origin", () => {
    const { messages, values } = settle("max_pixels = ten\n\nflag = yes\n", { A_FILTER: "square" });
    expect(messages).toEqual([
      'error: max_pixels: expected an integer of at least 0, got "ten" (f:1).',
      'error: flag: expected true or false, got "yes" (f:3).',
      'error: a.filter: expected one of box, bell, got "square" (environment variable A_FILTER).',
    ]);
    expect(values).toMatchObject({ max_pixels: 100, flag: true, "a.filter": "box" });
  });

  test("skip a variable that is not a number or boolean, but refuse a number out of bounds", () => {
    const skipped = settle("max_pixels = 5\nflag = false", { MAX_PIXELS: "many", FLAG: "" });
    expect(skipped.values).toMatchObject({ max_pixels: 5, flag: false });
    expect(skipped.messages).toEqual([
      'warning: max_pixels: expected an integer of at least 0, got "many" (environment variable MAX_PIXELS). The variable is skipped.',
      'warning: flag: expected true or false, got "" (environment variable FLAG). The variable is skipped.',
    ]);
    expect(settle("", { MAX_PIXELS: "-1" }).messages[0]).toMatch(/^error: max_pixels/);
  });

  test("skip a blank variable of a key that has no blank value", () => {
    const blank = settle("a.filter = bell\nmax_age = 5", { A_FILTER: "", MAX_AGE: " " });
    expect(blank.values).toMatchObject({ "a.filter": "bell", max_age: 5 });
    expect(blank.messages).toEqual([
      'warning: max_age: expected an integer, got " " (environment variable MAX_AGE). The variable is skipped.',
      'warning: a.filter: expected one of box, bell, got "" (environment variable A_FILTER). The variable is skipped.',
    ]);
  });

  test("read an empty variable as an empty text", () => {
    expect(settle("name = file", { NAME: "" }).name).toBe("");
    expect(settle("", { TIF_COMPRESSION: "" }).values).toMatchObject({ "tif.compression": "None" });
  });

  test("ignore a blank entry where a key says so", () => {
    const { values, messages } = settle("max_age =");
    expect(values["max_age"]).toBeNull();
    expect(messages).toEqual([]);
  });

  test("read a blank entry as the default, or as the choice it stands for, and warn about fractions", () => {
    const { values, messages } = settle("tif.compression =\nmax_scale =\nmax_pixels =\nname =\n");
    expect(values).toMatchObject({
      "tif.compression": "None",
      max_scale: 1,
      max_pixels: 100,
      name: "given",
    });
    expect(messages).toEqual([
      "warning: max_scale: expected a number of at least 0, got nothing; the default 1 holds (f:2).",
    ]);
  });

  test("warn about a key that is set more than once", () => {
    expect(settle("name = a\nflag = 1\nname = b").messages).toEqual([
      "warning: name: set more than once; line 1 of f counts, not 3.",
    ]);
  });

  test("give a value for every key, whatever the file and environment", () => {
    const name = fc.constantFrom(...definitions.keys(), "__proto__", "constructor");
    const entries = fc.array(fc.tuple(name, fc.string()));
    fc.assert(
      fc.property(fc.string(), entries, entries, (junk, file, env) => {
        const text = `${junk}\n${file.map((pair) => pair.join(" = ")).join("\n")}`;
        const variables = Object.fromEntries(env.map(([key, value]) => [variableOf(key), value]));
        const { values } = settle(text, variables);
        expect(Object.keys(values)).toEqual([...definitions.keys()]);
        expect(Object.values(values).includes(undefined)).toBe(false);
      }),
    );
  });
});

describe("the variable of a key", () => {
  test.each([
    ["endpoint.iiif.2.enabled", "ENDPOINT_IIIF_2_ENABLED"],
    [
      "FilesystemSource.BasicLookupStrategy.path_prefix",
      "FILESYSTEMSOURCE_BASICLOOKUPSTRATEGY_PATH_PREFIX",
    ],
  ])("of %s is %s", (key, variable) => {
    expect(variableOf(key)).toBe(variable);
  });
});
