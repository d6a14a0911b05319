import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contextOf, sourceContract } from "../../test/contract/source.ts";
import { type ImagePlace, imageDatabases, imageStatements } from "../../test/servers/images.ts";
import { Config } from "../config/store.ts";
import { silent } from "../core/log.ts";
import type { Source } from "../core/source.ts";
import { jdbcSource } from "./jdbc.ts";

const bytes = new Uint8Array(100_000).map((_, at) => at & 255);
const signal = new AbortController().signal;

const make = (settings: Readonly<Record<string, string>>): Source =>
  jdbcSource.create(new Config({ ...imageStatements, ...settings }).view(jdbcSource.keys), silent);
const find = (source: Source, identifier: string) => source.find(identifier, contextOf(identifier));

for (const { name, start, missing } of imageDatabases) {
  let place: ImagePlace;
  const sources: Source[] = [];
  const opened = (settings: Readonly<Record<string, string>> = {}): Source => {
    const source = make({ ...place.settings, ...settings });
    sources.push(source);
    return source;
  };

  describe(`in ${name}`, () => {
    if (missing === undefined) {
      beforeAll(async () => {
        place = await start();
        await place.put("maps/a.tif", bytes);
      }, 60_000);
      afterAll(async () => {
        for (const source of sources) await source.close?.();
        await place?.remove();
      });
    }

    sourceContract(
      `JdbcSource in ${name}`,
      missing === undefined
        ? async () => ({
            source: opened(),
            stored: { identifier: "maps/a.tif", bytes },
            put: (identifier, content) => place.put(identifier, content),
          })
        : { skipped: missing },
    );

    describe.skipIf(missing !== undefined)(`JdbcSource${missing ? ` (${missing})` : ""}`, () => {
      it("detects when an image has changed", async () => {
        const before = Date.now() - 5_000;
        await place.put("changed.tif", bytes);
        const { lastModified } = await find(opened(), "changed.tif");
        expect(lastModified?.getTime()).toBeGreaterThan(before);
        expect(lastModified?.getTime()).toBeLessThan(Date.now() + 5_000);
      });

      it("reads images without a modification time", async () => {
        const object = await find(opened({ "JdbcSource.last_modified_sql": "" }), "maps/a.tif");
        expect(object.lastModified).toBeUndefined();
        const reader = await object.open();
        expect(await reader.read(99_000, 10)).toEqual(bytes.slice(99_000, 99_010));
      });

      it("reports wrong statements as storage failures, and reveals no password", async () => {
        const source = opened({ "JdbcSource.lookup_sql": "SELECT data FROM nowhere WHERE x = ?" });
        const refused = await find(source, "maps/a.tif").catch((error: unknown) => error);
        expect(refused).toMatchObject({ failure: "upstream" });
        const told = inspect(refused, { depth: 9, showHidden: true });
        expect(told).toContain("nowhere");
        expect(told).not.toMatch(/secret of/);
        await expect(source.reach?.(signal)).rejects.toMatchObject({ failure: "upstream" });
      });

      it("reports a column without bytes as a storage failure", async () => {
        const source = opened({
          "JdbcSource.lookup_sql": "SELECT name FROM images WHERE name = ?",
        });
        await expect(find(source, "maps/a.tif")).rejects.toMatchObject({ failure: "upstream" });
      });
    });
  });
}

const [, postgres = expect.fail()] = imageDatabases;

describe.skipIf(postgres.missing !== undefined)(
  `JdbcSource with numbers for identifiers${postgres.missing ? ` (${postgres.missing})` : ""}`,
  () => {
    it("treats an identifier that is no number as a missing image", async () => {
      const place = await postgres.start();
      await place.put("seven", bytes);
      const source = make({
        ...place.settings,
        "JdbcSource.lookup_sql": "SELECT data FROM images WHERE number = ?",
        "JdbcSource.last_modified_sql": "",
      });
      expect((await find(source, "7")).size).toBe(bytes.length);
      for (const identifier of ["seven", "7; DROP TABLE images", "99999999999999999999"])
        await expect(find(source, identifier)).rejects.toMatchObject({ failure: "missing" });
      expect(await source.reach?.(signal)).toBe("there");
      await source.close?.();
      await place.remove();
    }, 60_000);
  },
);

describe("the settings of JdbcSource", () => {
  const url = { "JdbcSource.url": "jdbc:sqlite:/nowhere/images.db" };
  it.each([
    [{}, /url is blank/],
    [url, /lookup_sql is blank/],
    [{ ...url, "JdbcSource.lookup_sql": "DELETE FROM images WHERE name = ?" }, /expected a SELECT/],
    [{ ...url, "JdbcSource.lookup_sql": "SELECT data FROM images WHERE name = '?'" }, /with a \?/],
    [{ ...imageStatements, ...url, "JdbcSource.last_modified_sql": "today" }, /last_modified_sql/],
    [
      { ...imageStatements, "JdbcSource.url": "jdbc:oracle:thin" },
      /JdbcSource.url: expected jdbc:postgres/,
    ],
  ])("are invalid as %j", async (settings, why) => {
    const view = new Config(settings).view(jdbcSource.keys);
    expect(await jdbcSource.unusable?.(view())).toMatch(why);
  });

  it("do not create an SQLite file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "vitrine-jdbc-"));
    const path = join(folder, "images.db");
    const source = make({ "JdbcSource.url": `jdbc:sqlite:${path}` });
    await expect(find(source, "a.tif")).rejects.toMatchObject({ failure: "upstream" });
    await source.close?.();
    await rm(folder, { recursive: true });
  });
});
