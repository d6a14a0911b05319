import { describe, expect, it } from "vitest";
import { checkChanges } from "./changes.ts";
import { sampleFile } from "./describe.ts";
import { defineKeys, type KeyGroup } from "./keys.ts";
import { definitionOf, definitionsOf, evaluate } from "./layers.ts";
import { lockOf } from "./locks.ts";
import { parseProperties } from "./properties.ts";
import { reportUnused } from "./unused.ts";

const keys = defineKeys({
  "Source.bucket": { type: "string", default: "usual", doc: "", fileOnly: "service" },
  "Source.secret_key": { type: "secret", default: "", doc: "", fileOnly: "credential" },
  "Source.most": { type: "integer", default: 3, min: 1, doc: "" },
});
const group: KeyGroup = {
  title: "Test",
  keys,
  numbered: {
    prefix: "rules.",
    keys: { pattern: { type: "string", default: "", doc: "A pattern.", restart: true } },
    instead: keys,
  },
};
const definitions = definitionsOf([group]);
const layersOf = (text: string, env: Readonly<Record<string, string>> = {}) => ({
  given: {},
  chain: {
    files: [{ path: "f", properties: parseProperties(text), writable: true }],
    paths: ["f"],
    problems: [],
    digest: "",
  },
  runtime: new Map<string, string>(),
  env,
});
const settle = (text: string, env: Readonly<Record<string, string>> = {}) =>
  evaluate(definitions, layersOf(text, env));

describe("numbered keys", () => {
  it("have values where any key with their number is set, and none elsewhere", () => {
    const { values } = settle("rules.2.Source.bucket = other\nrules.10.pattern = ^a");
    expect(values).toEqual({
      "Source.bucket": "usual",
      "Source.secret_key": "",
      "Source.most": 3,
      "rules.2.Source.bucket": "other",
      "rules.2.pattern": "",
      "rules.10.pattern": "^a",
    });
  });

  it("can be set by variables, which take precedence", () => {
    const env = { RULES_1_PATTERN: "^b", RULES_1_SOURCE_BUCKET: "c", RULES_1_NOTHING: "d" };
    const { values, origins } = settle("rules.1.pattern = ^a", env);
    expect(values).toMatchObject({ "rules.1.pattern": "^b", "rules.1.Source.bucket": "c" });
    expect(origins.get("rules.1.pattern")).toMatchObject({ layer: "environment" });
  });

  it("are validated like the keys they stand for", () => {
    const { problems } = settle("rules.1.Source.most = 0");
    expect(problems.map(({ message }) => message)).toEqual([
      'rules.1.Source.most: expected an integer of at least 1, got "0" (f:1).',
    ]);
  });

  it("are left to the key itself where they are blank", () => {
    expect(settle("rules.1.Source.most =").values).toMatchObject({ "rules.1.Source.most": null });
    expect(settle("rules.1.Source.most =").problems).toEqual([]);
  });

  it.each([
    "rules.0.pattern",
    "rules.1000.pattern",
    "rules.one.pattern",
    "rules.1.patern",
    "rules.1.Source.buckets",
    "rules.1.constructor",
  ])("are unknown if misspelt: %s", (key) => {
    const layers = layersOf(`${key} = a`);
    const known = evaluate(definitions, layers).definitions;
    expect(known.has(key)).toBe(false);
    expect(reportUnused(layers, known, new Set()).map(({ severity }) => severity)).toEqual([
      "warning",
    ]);
  });

  it("are locked and masked like the keys they stand for", () => {
    expect(lockOf("rules.1.Source.secret_key", definitions, {})).toBeDefined();
    expect(definitionOf(definitions, "rules.7.Source.secret_key")).toMatchObject({
      type: "secret",
      restart: true,
    });
  });

  it("can be changed at run time where nothing locks them", () => {
    const check = (changes: Readonly<Record<string, unknown>>) =>
      checkChanges(changes, {
        definitions,
        layers: layersOf(""),
        problems: [],
        lockOf: () => undefined,
      }).problems.map(({ message }) => message);
    expect(check({ "rules.1.Source.most": 5 })).toEqual([]);
    expect(check({ "rules.1.Source.most": 0 })).toHaveLength(1);
    expect(check({ "rules.1.patern": "a" })).toHaveLength(1);
  });

  it("are comments in the sample: there is no rule by default", () => {
    const sample = sampleFile([group]);
    expect(sample).toContain("# A pattern.");
    expect(sample).toContain("# rules.1.pattern =");
    expect([...parseProperties(sample).settings.keys()]).toEqual(Object.keys(keys));
  });
});
