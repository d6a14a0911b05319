import { describe, expect, it } from "vitest";
import { keyGroups } from "../keys.ts";
import { cantaloupeSample } from "./cantaloupe-sample.ts";
import { areOfCantaloupe, compatibilityKeys } from "./compatibility.ts";
import type { Environment } from "./environment.ts";
import { defineKeys } from "./keys.ts";
import { definitionsOf, evaluate } from "./layers.ts";
import { parseProperties } from "./properties.ts";

describe("keys", () => {
  it("are Cantaloupe's where there is one that nobody else has a use for", () => {
    expect(areOfCantaloupe(cantaloupeSample)).toBe(true);
    expect(areOfCantaloupe(["http.port", "processor.selection_strategy"])).toBe(true);
    expect(areOfCantaloupe(["resolver.static"])).toBe(true);
  });

  it("are not where they are Vitrine's, or unknown", () => {
    expect(areOfCantaloupe(definitionsOf(keyGroups).keys())).toBe(false);
    expect(areOfCantaloupe(["http.port", "max_pixel", ""])).toBe(false);
    expect(areOfCantaloupe([])).toBe(false);
  });
});

describe("keys that are not set", () => {
  const definitions = definitionsOf([
    {
      title: "",
      keys: {
        ...compatibilityKeys,
        ...defineKeys({
          proxies: { type: "list", default: ["a"], cantaloupe: ["a", "b"], doc: "Proxies." },
          others: { type: "list", default: ["c"], doc: "Others." },
        }),
      },
    },
  ]);
  const proxiesIn = (text: string, env: Environment = {}): unknown => {
    const { values } = evaluate(definitions, {
      given: {},
      chain: { files: [{ path: "f", properties: parseProperties(text), writable: true }] },
      runtime: new Map(),
      env,
    });
    expect(values["others"]).toEqual(["c"]);
    return values["proxies"];
  };

  it.each([
    ["", ["a"]],
    ["others = c", ["a"]],
    ["http.max_threads =", ["a", "b"]],
    ["http.max_threads = 8\nproxies =", ["a", "b"]],
    ["http.max_threads = 8\nproxies = a", ["a"]],
    ["http.max_threads = 8\ncompatibility = none", ["a"]],
    ["compatibility = cantaloupe", ["a", "b"]],
    ["compatibility = auto", ["a"]],
  ])("in the file %j are %j", (text, expected) => {
    expect(proxiesIn(text)).toEqual(expected);
  });

  it("go by the environment before the file", () => {
    expect(proxiesIn("", { COMPATIBILITY: "cantaloupe" })).toEqual(["a", "b"]);
    expect(proxiesIn("http.max_threads = 8", { COMPATIBILITY: "none" })).toEqual(["a"]);
  });
});
