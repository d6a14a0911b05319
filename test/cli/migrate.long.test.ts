import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { amount } from "../amount.ts";
import { asImage } from "../e2e/grid.ts";
import { drawPages, drawPictures, drawSmall, small } from "../e2e/pictures.ts";
import { random } from "../random.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { run, serve } from "./program.ts";

/** A folder of images of several kinds. */
const drawAll = async (): Promise<string> => {
  const folder = await temporaryFolder();
  await drawPictures(folder);
  await drawPages(folder, "pages.tif");
  await drawSmall(folder, "deep/a b.png");
  const turned = await asImage(small).jpeg().withMetadata({ orientation: 6 }).toBuffer();
  await writeFile(join(folder, "turned.jpg"), turned);
  await sharp(turned).gif().toFile(join(folder, "small.gif"));
  return folder;
};

const identifiers = [
  "small.png",
  "large.png",
  "large.tif",
  "turned.jpg",
  "small.gif",
  "pages.tif",
  "pages.tif;2",
  "pages.tif;3",
  "small.png;1:2",
  "large.tif;1:3",
  "small.png;2:4",
  "deep%2Fa%20b.png",
  "deep%5Ca+b.png",
  "missing.jpg",
];
const regions = [
  "full",
  "square",
  "0,0,512,512",
  "10.5,20.4,100,100",
  "pct:10,10,50.5,50",
  "250,150,500,500",
  "900,900,1,1",
  "nonsense",
];
const sizes = [
  "full",
  "max",
  "^max",
  "128,",
  ",100",
  "!200,200",
  "!2000,2000",
  "pct:33.3",
  "pct:150",
  "300,200",
  "151,",
  "^400,",
  "0,0",
];
const ends = [
  "0/default.jpg",
  "0/native.jpg",
  "0/color.png",
  "0/Default.JPG",
  "90/gray.png",
  "!0/bitonal.gif",
  "22.5/default.png",
  "360/GREY.tif",
  "0/default.tif",
  "0/default.webp",
  "0/default.jpeg",
  "0/default.xyz",
];
const queries = [
  "",
  "",
  "",
  "?cache=nocache",
  "?cache=recache",
  "?page=2",
  "?response-content-disposition=attachment",
];

/** So many request paths, the same each time: images, information, redirects and pages. */
const requests = (count: number): readonly string[] => {
  const { whole } = random(14);
  const any = (list: readonly string[]): string => list[whole(0, list.length - 1)] ?? "";
  const others = ["/", "/health", "/status", "/configuration", "/admin", "/iiif/1", "/iiif/9"];
  return Array.from({ length: count }, (_, n) => {
    if (n < others.length) return others[n] ?? "";
    const base = `/iiif/${any(["1", "2", "3"])}/${any(identifiers)}`;
    const kind = whole(0, 99);
    if (kind < 4) return base;
    if (kind < 20) return `${base}/info.json${any(queries)}`;
    // Half of them are nearly ordinary, or almost all would be rejected.
    if (kind < 60)
      return `${base}/full/${any(["full", "max", "128,"])}/${any(ends)}${any(queries)}`;
    return `${base}/${any(regions)}/${any(sizes)}/${any(ends)}${any(queries)}`;
  });
};

/** Headers that differ between responses of any server. */
const passing = new Set([
  "connection",
  // That of the body follows from the body, which is compared.
  "content-length",
  "date",
  "keep-alive",
  "server-timing",
  "x-request-id",
]);

interface Answer {
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The responses of a server with a configuration. */
const answersOf = async (config: string): Promise<readonly Answer[]> => {
  const { base } = await serve(["--config", config], {
    env: { HTTP_HOST: "127.0.0.1", HTTP_WORKERS: "1", BASE_URI: "https://images.example.org" },
  });
  const answers: Answer[] = [];
  for (const path of requests(amount(300))) {
    const answer = await fetch(base + path, { redirect: "manual" });
    const id = answer.headers.get("x-request-id") ?? "none";
    const body = Buffer.from(await answer.arrayBuffer()).toString("latin1");
    answers.push({
      path,
      status: answer.status,
      headers: Object.fromEntries([...answer.headers].filter(([name]) => !passing.has(name))),
      body: body
        .replaceAll(id, "(request)")
        // How long a health check took differs from run to run.
        .replace(/"milliseconds":\d+/g, "")
        // Stack traces differ where a response did not have to wait.
        .replace(/(?:\n|\\n) {4}at [^\n\\"<]*/g, ""),
    });
  }
  return answers;
};

/** The differences of two responses: status, header fields, and the beginnings of bodies. */
const difference = (one: Answer, other: Answer | undefined): string => {
  const headers = new Set([...Object.keys(one.headers), ...Object.keys(other?.headers ?? {})]);
  return [
    one.path,
    `status ${one.status} and ${other?.status}`,
    ...[...headers]
      .filter((name) => one.headers[name] !== other?.headers[name])
      .map((name) => `${name}: ${one.headers[name]} and ${other?.headers[name]}`),
    ...(one.body === other?.body
      ? []
      : [`body ${one.body.slice(0, 600)} and ${other?.body.slice(0, 600)}`]),
  ].join("; ");
};

/** The responses of two servers that differ, with their differences. */
const differing = (some: readonly Answer[], others: readonly Answer[]): readonly string[] =>
  some
    .map((one, n) => ({ one, other: others[n] }))
    .filter(({ one, other }) => JSON.stringify(one) !== JSON.stringify(other))
    .map(({ one, other }) => difference(one, other));

const migrated = async (config: string): Promise<string> => {
  const out = `${config}.new`;
  const { code, stderr } = await run(["config", "migrate", config, "--out", out]);
  expect([code, stderr]).toEqual([0, ""]);
  return out;
};

describe("a Cantaloupe configuration and its migration", () => {
  test("give the same responses to up to 300 requests for Cantaloupe's sample file", {
    timeout: 240_000,
  }, async () => {
    const folder = await drawAll();
    const sample = await readFile(new URL("cantaloupe.properties", import.meta.url), "utf8");
    const config = join(folder, "sample.properties");
    await writeFile(config, sample.replaceAll("{pictures}", folder));
    const before = await answersOf(config);
    expect(differing(before, await answersOf(await migrated(config)))).toEqual([]);
    const statuses = new Set(before.map(({ status }) => status));
    for (const status of [200, 301, 400, 403, 404, 415]) expect(statuses).toContain(status);
  });

  test("give the same responses to up to 300 requests for a file of four keys", {
    timeout: 240_000,
  }, async () => {
    const folder = await drawAll();
    const four = [
      "http.enabled = true",
      "source.static = FilesystemSource",
      `FilesystemSource.BasicLookupStrategy.path_prefix = ${folder}/`,
      "endpoint.api.enabled = false",
      "",
    ].join("\n");
    const config = join(folder, "cantaloupe.properties");
    await writeFile(config, four);
    const before = await answersOf(config);
    expect(differing(before, await answersOf(await migrated(config)))).toEqual([]);
    // Vitrine's own defaults differ, or this would prove nothing.
    const own = join(folder, "own.properties");
    await writeFile(own, four);
    expect(differing(before, await answersOf(own)).length).toBeGreaterThan(before.length / 3);
  });
});

describe("config migrate", () => {
  const prepare = async (text: string, name = "old.properties") => {
    const folder = await temporaryFolder();
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o640 });
    return { folder, path, out: join(folder, "new.properties") };
  };

  test("prints the file and a report", async () => {
    const { path } = await prepare("temp_pathname = /tmp\nmax_scale = 2\nmax_pixels = many\n");
    const { code, stdout, stderr } = await run(["config", "migrate", path]);
    expect(code).toBe(0);
    expect(stdout).toContain("\nmax_scale = 2\n");
    expect(stdout).toContain("\nmax_pixels = 0\n");
    expect(stdout).toContain("\ncompatibility = none\n");
    expect(stdout).toContain("\nendpoint.admin.username =\n");
    expect(stdout).not.toContain("temp_pathname");
    expect(stderr).toContain('max_pixels: expected an integer of at least 0, got "many"');
    expect(stderr).toContain("temp_pathname");
    expect(stderr).toMatch(
      /: keys: 1 kept, \d+ defaults made explicit, 1 corrected, 1 omitted\.\n$/,
    );
  });

  test("overwrites nothing without --force, and preserves permissions", async () => {
    const { path, out } = await prepare("http.max_threads = 8\n");
    await writeFile(out, "precious");
    const refused = await run(["config", "migrate", path, "--out", out]);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain("the file exists already; nothing was written");
    expect(await readFile(out, "utf8")).toBe("precious");
    const forced = await run(["config", "migrate", path, "--out", out, "--force"]);
    expect([forced.code, forced.stderr]).toEqual([0, ""]);
    expect(await readFile(out, "utf8")).toContain("compatibility = none");
    expect((await stat(out)).mode & 0o777).toBe(0o640);
    const check = await run(["config", "check", out]);
    expect([check.code, check.stdout.includes("As Cantaloupe")]).toEqual([0, false]);
  });

  test("merges extended files, and keeps keys that ask for missing features", async () => {
    const { folder, path } = await prepare(
      "extends = parent.properties\nmax_scale =\nauth.basic.enabled = true\n",
    );
    await mkdir(join(folder, "sub"));
    await writeFile(
      join(folder, "parent.properties"),
      "max_scale = 3\nprocessor.jpg.quality = 71\nprocessor.selection_strategy = x\n",
    );
    const { code, stdout, stderr } = await run(["config", "migrate", path]);
    expect(code).toBe(2);
    expect(stderr).toContain("auth.basic.enabled: asks for");
    expect(stdout).toContain("\nprocessor.jpg.quality = 71\n");
    expect(stdout).toContain("\nauth.basic.enabled = true\n");
    // An empty key hides that of the parent.
    expect(stdout).not.toContain("max_scale = 3");
    expect(stdout).not.toMatch(/^extends/m);
  });

  test("reports a file that is not recognisably Cantaloupe's", async () => {
    const { path } = await prepare("max_scale = 2\n");
    const { code, stdout, stderr } = await run(["config", "migrate", path]);
    expect([code, stdout.includes("endpoint.iiif.dialect = cantaloupe")]).toEqual([0, true]);
    expect(stderr).toContain("Nothing identifies this file as Cantaloupe's");
    const ours = await prepare("compatibility = none\n");
    expect((await run(["config", "migrate", ours.path])).code).toBe(2);
    expect((await run(["config", "migrate", `${path}.missing`])).code).toBe(2);
    expect((await run(["config", "migrate", path, "--force"])).code).toBe(2);
  });

  test("reports an unreadable formats.yml or key store, as the check does", async () => {
    const { folder, path } = await prepare(
      "http.max_threads = 8\nhttps.enabled = true\nhttps.key_store_path = {store}\n",
    );
    const store = join(folder, "store.jks");
    await writeFile(store, Buffer.from("feedfeed00000002", "hex"));
    await writeFile(path, (await readFile(path, "utf8")).replace("{store}", store));
    await writeFile(join(folder, "formats.yml"), "jpg:\n");
    const check = await run(["config", "check", path]);
    const migration = await run(["config", "migrate", path]);
    expect([check.code, migration.code]).toEqual([2, 2]);
    for (const said of [check.stdout, migration.stderr]) {
      expect(said).toContain("keytool -importkeystore");
      expect(said).toContain(`${join(folder, "formats.yml")}: is not read.`);
    }
  });

  test("prints no secret in its report", async () => {
    const { path, out } = await prepare("temp_pathname =\nendpoint.admin.secret = hidden\n");
    const { stdout } = await run(["config", "migrate", path, "--out", out]);
    expect(stdout).not.toContain("hidden");
    expect(await readFile(out, "utf8")).toContain("endpoint.admin.secret = hidden");
  });
});
