import { describe, expect, test } from "vitest";
import { configurationJson, configurationMarkdown, sampleFile } from "./describe.ts";
import { defineKeys, type KeyGroup } from "./keys.ts";
import { definitionsOf, evaluate } from "./layers.ts";
import { parseProperties } from "./properties.ts";

const groups: readonly KeyGroup[] = [
  {
    title: "Limits",
    keys: defineKeys({
      max_pixels: { type: "integer", default: 10_000_000, min: 0, doc: "Most pixels." },
      max_scale: { type: "number", default: 1.5, doc: "Most enlargement." },
      budget: { type: "bytes", default: 1536 * 1024, doc: "Memory | in all.", restart: true },
      limit: { type: "seconds", default: null, doc: "A time." },
    }),
  },
  {
    title: "Others",
    keys: defineKeys({
      "http.host": { type: "string", default: "0.0.0.0", doc: "Where to listen.", restart: true },
      secret: { type: "secret", default: "", fileOnly: "credential", doc: "The password." },
      background: {
        type: "color",
        default: "rgba(0, 0, 0, 100)",
        doc: `Colour. ${"Word ".repeat(60)}`,
      },
      filter: {
        type: "choice",
        choices: ["box", "bell"],
        default: "bell",
        blank: "box",
        doc: "Filter.",
      },
      proxies: { type: "list", default: ["127.0.0.1", "::1"], doc: "Proxies." },
      on: { type: "boolean", default: false, doc: "Switch." },
    }),
  },
];

describe("the sample file", () => {
  const text = sampleFile(groups);

  test("reads as the defaults, without a warning", () => {
    const properties = parseProperties(text);
    expect([...properties.settings.keys()]).toEqual([...definitionsOf(groups).keys()]);
    expect(properties.malformed).toEqual([]);
    const evaluated = evaluate(definitionsOf(groups), {
      given: {},
      chain: { files: [{ path: "f", properties, writable: true }] },
      runtime: new Map(),
      env: {},
    });
    expect(evaluated.problems).toEqual([]);
    for (const [key, definition] of definitionsOf(groups))
      expect([key, evaluated.values[key]]).toEqual([key, definition.default]);
  });

  test("explains every key above it, in lines of at most 96 characters", () => {
    expect(text).toContain(
      "# Memory | in all. (a number of bytes, such as 512K or 1.5G) Needs a restart.\nbudget = 1536K\n",
    );
    expect(text).toContain("# Filter. (one of box, bell) Blank means box.\nfilter = bell\n");
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(96);
  });
});

describe("the reference in Markdown", () => {
  const text = configurationMarkdown(groups);

  test("has a row for every key", () => {
    expect(text).toContain(
      "| `max_pixels` | an integer of at least 0 | `10000000` |  |  | Most pixels. |\n",
    );
    expect(text).toContain(
      "| `budget` | a number of bytes, such as 512K or 1.5G | `1536K` | yes |  | Memory \\| in all. |\n",
    );
  });

  test("marks the keys that can be changed in the file only, as the sample does", () => {
    expect(text).toContain("| `secret` | a text of one line |  |  | yes | The password. |\n");
    expect(sampleFile(groups)).toContain("# The password. File only.\nsecret =\n");
  });

  test("lists Cantaloupe's keys that have no effect, and none that has", () => {
    expect(text).toContain(
      "| `allow_upscaling` | `max_scale` | Cantaloupe 5 calls it otherwise. |",
    );
    expect(text).toContain("| `http.min_threads` |");
    const defined = [
      {
        title: "",
        keys: defineKeys({ "http.min_threads": { type: "integer", default: 1, doc: "" } }),
      },
    ];
    expect(configurationMarkdown(defined).match(/`http\.min_threads`/g)).toHaveLength(1);
  });

  test("has as many cells in every row as its head", () => {
    const cells = (line: string) => line.replaceAll("\\|", "").split("|").length;
    let head: string | undefined;
    for (const line of text.split("\n")) {
      if (!line.startsWith("|")) head = undefined;
      else head ??= line;
      if (head !== undefined) expect([line, cells(line)]).toEqual([line, cells(head)]);
    }
  });
});

test("the JSON reference has types, bounds, variables and explanations", () => {
  const described = JSON.parse(configurationJson(groups));
  expect(described.groups[0].keys[0]).toEqual({
    key: "max_pixels",
    variable: "MAX_PIXELS",
    type: "integer",
    default: 10_000_000,
    min: 0,
    doc: "Most pixels.",
  });
  expect(described.unused).toContainEqual({
    key: "allow_upscaling",
    reason: "renamed",
    explanation: "Cantaloupe 5 calls it otherwise.",
    replacedBy: "max_scale",
  });
});
