import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";

const home = fileURLToPath(new URL("../", import.meta.url));

let folder: string;
let page: string;
let assets: ReadonlyMap<string, Buffer>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-panel-"));
  const { status, stderr } = spawnSync(process.execPath, [join("scripts", "panel.mjs"), folder], {
    cwd: home,
    encoding: "utf8",
    timeout: 60_000,
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  page = await readFile(join(folder, "index.html"), "utf8");
  const names = await readdir(join(folder, "assets"));
  assets = new Map(
    await Promise.all(
      names.map(async (name) => [name, await readFile(join(folder, "assets", name))] as const),
    ),
  );
}, 90_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

/** What the page requests before any interaction. */
const atFirst = (): readonly string[] => {
  const named = [...page.matchAll(/(?:src|href)="\.\/assets\/([^"]+)"/g)].map(
    ([, name]) => name ?? "",
  );
  const imported = named
    .filter((name) => name.endsWith(".js"))
    .flatMap((name) => [
      ...String(assets.get(name)).matchAll(
        /(?:^|;)\s*import\s*(?:[\w*{}\s,$]+from\s*)?"\.\/([^"]+)"/g,
      ),
    ])
    .map(([, name]) => name ?? "");
  return [...new Set([...named, ...imported])];
};

test("the panel's first load stays under 200 kB compressed, without the viewer", () => {
  const names = atFirst();
  expect(names.filter((name) => name.endsWith(".js"))).not.toEqual([]);
  expect(names.filter((name) => name.endsWith(".css"))).not.toEqual([]);
  const sizes = names.map((name) => {
    const bytes = assets.get(`${name}.gz`) ?? assets.get(name);
    expect(bytes, name).toBeDefined();
    return bytes?.length ?? 0;
  });
  expect(sizes.reduce((sum, size) => sum + size, page.length)).toBeLessThan(200_000);
  const viewer = [...assets.keys()].filter((name) => name.startsWith("openseadragon"));
  expect(viewer).not.toEqual([]);
  expect(names.filter((name) => viewer.includes(name))).toEqual([]);
});

test("its compressed copies hold the same", () => {
  const copies = [...assets].filter(([name]) => /\.(?:br|gz)$/.test(name));
  expect(copies.length).toBeGreaterThan(3);
  for (const [name, bytes] of copies) {
    const whole = name.endsWith(".br") ? brotliDecompressSync(bytes) : gunzipSync(bytes);
    expect(whole.equals(assets.get(name.slice(0, -3)) ?? Buffer.of()), name).toBe(true);
  }
});

test("its page has nothing inline, and one base for all of its addresses", () => {
  expect(page.split('<base href="/admin/">')).toHaveLength(2);
  expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|javascript:|https?:/);
});

test("it names the licences of all that it holds", async () => {
  const licences = await readFile(join(folder, "licences.md"), "utf8");
  for (const name of ["preact", "@preact/signals", "uplot", "openseadragon"])
    expect(licences).toMatch(new RegExp(`^## ${name} - `, "m"));
});
