import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contextOf, sourceContract } from "../../test/contract/source.ts";
import { keyGroups } from "../app/keys.ts";
import { checkSource } from "../cli/source-check.ts";
import { loadConfig } from "../config/file.ts";
import { Config } from "../config/store.ts";
import type { Source } from "../core/source.ts";
import { createSource, unusableSource } from "./choosing.ts";

const prefix = "FilesystemSource.BasicLookupStrategy.path_prefix";
const suffix = "FilesystemSource.BasicLookupStrategy.path_suffix";
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "vitrine-rules-"));
  for (const [file, text] of [
    ["maps/paris.tif", "map"],
    ["books/1900/a.jpg", "book"],
    ["rest/maps-of.tif", "rest of maps"],
    ["rest/x.tif", "all the rest"],
    ["others/y.tif", "other"],
  ] as const) {
    await mkdir(join(home, file, ".."), { recursive: true });
    await writeFile(join(home, file), text);
  }
});
afterAll(() => rm(home, { recursive: true, force: true }));

const rules = (): Record<string, unknown> => ({
  [prefix]: join(home, "rest/"),
  "source.rules.2.pattern": "^maps",
  "source.rules.2.source": "FilesystemSource",
  [`source.rules.2.${prefix}`]: join(home, "others/"),
  "source.rules.1.pattern": "^maps/(.+)$",
  "source.rules.1.source": "FilesystemSource",
  "source.rules.1.identifier": "$1",
  [`source.rules.1.${prefix}`]: join(home, "maps/"),
  "source.rules.10.pattern": "^b(?P<year>\\d+)$",
  "source.rules.10.source": "FilesystemSource",
  "source.rules.10.identifier": "$<year>/a",
  [`source.rules.10.${prefix}`]: join(home, "books/"),
  [`source.rules.10.${suffix}`]: ".jpg",
});

const textOf = async (source: Source, identifier: string): Promise<string> => {
  const reader = await (await source.find(identifier, contextOf(identifier))).open();
  const bytes = await reader.read(0, reader.size);
  await reader.close();
  return Buffer.from(bytes).toString();
};

sourceContract("A source with rules", async () => ({
  source: createSource(new Config(rules())),
  stored: { identifier: "x.tif", bytes: Buffer.from("all the rest") },
}));

describe("rules", () => {
  it("choose the source by the lowest matching number, and rewrite the identifier", async () => {
    const source = createSource(new Config(rules()));
    expect(await textOf(source, "maps/paris.tif")).toBe("map");
    expect(await textOf(source, "b1900")).toBe("book");
    expect(await textOf(source, "x.tif")).toBe("all the rest");
    // The second rule matches, and its folder has no such file: no other source is asked.
    await expect(textOf(source, "maps-of.tif")).rejects.toMatchObject({ failure: "missing" });
    await source.close?.();
  });

  it("let each image report its location and kind of source", async () => {
    const source = createSource(
      new Config({
        ...rules(),
        "source.static": "HttpSource",
        "HttpSource.BasicLookupStrategy.url_prefix": "http://127.0.0.1:9/",
      }),
    );
    expect(source.parts?.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      "source.rules.1 FilesystemSource",
      "source.rules.2 FilesystemSource",
      "source.rules.10 FilesystemSource",
      "source.static HttpSource",
    ]);
    expect(await source.find("maps/paris.tif", contextOf("maps/paris.tif"))).toMatchObject({
      kind: "FilesystemSource",
      place: join(home, "maps/paris.tif"),
    });
    await source.close?.();
  });

  it("report missing images by the requested identifier", async () => {
    const source = createSource(new Config(rules()));
    for (const identifier of ["maps/rome.tif", "b1800", "maps/../rest/x.tif"])
      await expect(textOf(source, identifier)).rejects.toMatchObject({
        failure: "missing",
        message: `There is no image '${identifier}'.`,
      });
  });

  it("leave other identifiers without a source unless one is configured", async () => {
    const source = createSource(new Config({ ...rules(), [prefix]: "" }));
    await expect(textOf(source, "x.tif")).rejects.toMatchObject({ failure: "missing" });
    expect(source.parts?.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      "source.rules.1 FilesystemSource",
      "source.rules.2 FilesystemSource",
      "source.rules.10 FilesystemSource",
    ]);
  });

  it.each([
    [{ "source.rules.1.source": "S3Source" }, /^source.rules.1.pattern: expected a regular/],
    [{ "source.rules.1.pattern": "a" }, /^source.rules.1.source: expected one of FilesystemSource/],
    [
      { "source.rules.1.pattern": "(a", "source.rules.1.source": "S3Source" },
      /^source.rules.1.pattern: expected a regular expression that RE2 understands.*missing closing/,
    ],
    [
      {
        "source.rules.3.pattern": "^(a)",
        "source.rules.3.source": "S3Source",
        "source.rules.3.identifier": "$2",
      },
      /^source.rules.3.identifier: the pattern has no group \$2/,
    ],
    [
      { "source.rules.1.pattern": "a", "source.rules.1.source": "S3Source" },
      /^source.rules.1: S3Source.BasicLookupStrategy.bucket.name is blank/,
    ],
    [
      { "source.rules.1.pattern": "a", "source.rules.1.source": "FilesystemSource" },
      /^source.rules.1: FilesystemSource.*path_prefix is blank/,
    ],
  ])("are rejected if invalid: %j", async (values, why) => {
    expect(await unusableSource(new Config(values))).toMatch(why);
  });

  it("are read from a file, with the settings of their sources, and by `config check`", async () => {
    const path = join(home, "vitrine.properties");
    const lines = Object.entries(rules()).map(([key, value]) => `${key} = ${value}`);
    await writeFile(path, lines.join("\n"));
    const { config, running, close } = await load(path, { SOURCE_RULES_10_IDENTIFIER: "$1/a" });
    expect([running.errors, running.warnings, running.notes]).toEqual([[], [], []]);
    const source = createSource(config);
    expect(await textOf(source, "maps/paris.tif")).toBe("map");
    expect(await textOf(source, "b1900")).toBe("book");
    await close();
    expect(await checkSource(path, {})).toEqual([]);
    const elsewhere = [`source.rules.2.${prefix} = ${home}/nowhere/`, ...lines];
    await writeFile(path, elsewhere.join("\n"));
    expect((await checkSource(path, {})).map(({ message }) => message)).toEqual([
      expect.stringMatching(/^source.rules.2: FilesystemSource.*there is no folder/),
    ]);
    await writeFile(path, `${lines.join("\n")}\nsource.rules.4.source = FtpSource`);
    const wrong = await load(path, {});
    expect(wrong.running.errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^source.rules.4.source: expected one of \(blank\), FilesystemSource/),
    ]);
    await wrong.close();
  });

  it("take effect after a restart when added, changed or removed", async () => {
    const path = join(home, "changing.properties");
    await writeFile(path, "source.rules.1.pattern = ^a\nsource.rules.1.source = S3Source");
    const file = await loadConfig({ groups: keyGroups, env: {}, path });
    await writeFile(path, "source.rules.2.pattern = ^b\nsource.rules.2.S3Source.region = eu-1");
    await file.reload();
    expect(file.config.current).toMatchObject({ "source.rules.1.pattern": "^a" });
    expect(file.pending).toEqual(
      expect.arrayContaining([
        "source.rules.1.pattern",
        "source.rules.1.source",
        "source.rules.2.S3Source.region",
        "source.rules.2.pattern",
      ]),
    );
    expect(file.config.current["source.rules.2.pattern"]).toBeUndefined();
    await file.close();
  });
});

const load = async (path: string, env: Readonly<Record<string, string>>) => {
  const file = await loadConfig({ groups: keyGroups, env, path });
  return { config: file.config, running: file.running, close: () => file.close() };
};
