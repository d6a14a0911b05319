import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../e2e/app.ts";
import { asImage, drawGrid } from "../e2e/grid.ts";
import { runExport } from "./exporting.ts";

let folder: string;
let server: TestServer;
const pictures = (): string => join(folder, "pictures");

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-export-"));
  server = await startServer(drawPictures);
  await drawPictures(pictures());
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const grid = (seed: number) => asImage(drawGrid(1_300, 900, { square: 50, seed }));

const drawPictures = async (to: string): Promise<void> => {
  await mkdir(join(to, "maps & plans"), { recursive: true });
  await grid(1).png().toFile(join(to, "grid.png"));
  await grid(2).withMetadata({ orientation: 6 }).jpeg().toFile(join(to, "maps & plans/50%.jpg"));
  const sound = await grid(3).jpeg().toBuffer();
  await writeFile(join(to, "damaged.jpg"), sound.subarray(0, sound.length / 2));
  await writeFile(join(to, "notes.txt"), "No image.");
};

const filesIn = async (path: string): Promise<readonly string[]> => {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .sort();
};

describe("vitrine export", () => {
  it("writes the server's responses byte for byte, and reports damaged images", async () => {
    const out = join(folder, "whole");
    const { code, err } = await runExport(pictures(), out, "--api", "both", "--manifest");
    expect(code).toBe(1);
    expect(err).toContain("Exported 2 images, 1 other file skipped");
    expect(err).toMatch(/1 image could not be exported:\n {2}damaged\.jpg: Corrupt/);
    const files = await filesIn(out);
    expect(files.filter((file) => /damaged|notes|\.vitrine-export\//.test(file))).toEqual([]);
    const tiles = files.filter((file) => /^[23]\/grid\.png\/.*jpg$/.test(file));
    expect(tiles.length).toBeGreaterThan(20);
    for (const file of tiles) {
      const answer = await server.ask(`/iiif/${file}`);
      expect(answer.status).toBe(200);
      expect((await readFile(join(out, file))).equals(answer.body), file).toBe(true);
    }
    const info = JSON.parse(await readFile(join(out, "3/maps & plans/50%.jpg/info.json"), "utf8"));
    expect(info).toMatchObject({
      id: "https://example.org/i/3/maps%20%26%20plans/50%25.jpg",
      profile: "level0",
      width: 900,
      height: 1_300,
    });
    const manifest = JSON.parse(await readFile(join(out, "3/grid.png/manifest.json"), "utf8"));
    expect(manifest).toMatchObject({
      id: "https://example.org/i/3/grid.png/manifest.json",
      type: "Manifest",
      items: [{ width: 1_300, height: 900 }],
    });
    const body = manifest.items[0].items[0].items[0].body.id.replace("https://example.org/i/", "");
    expect(files).toContain(body);
  });

  it("skips unchanged images, and replaces, adds and removes others", async () => {
    const from = join(folder, "changing");
    const out = join(folder, "updated");
    await mkdir(from);
    for (const name of ["kept.png", "changed.png", "removed.png"])
      await grid(4).png().toFile(join(from, name));
    expect(await runExport(from, out, "--viewer")).toMatchObject({ code: 0 });
    const kept = join(out, "kept.png/full/max/0/default.jpg");
    const before = await stat(kept);
    const mine = join(out, "removed.png/mine.txt");
    await writeFile(mine, "Not of the export.");
    await rm(join(from, "removed.png"));
    await asImage(drawGrid(600, 400, { square: 50, seed: 5 }))
      .png()
      .toFile(join(from, "changed.png"));
    const again = await runExport(from, out, "--viewer", "--delete");
    expect(again.err).toContain("Exported 1 image, 1 unchanged, 1 removed");
    expect((await stat(kept)).mtimeMs).toBe(before.mtimeMs);
    expect((await filesIn(join(out, "removed.png"))).join()).toBe("mine.txt");
    const info = JSON.parse(await readFile(join(out, "changed.png/info.json"), "utf8"));
    expect(info.width).toBe(600);
    const changed = await filesIn(join(out, "changed.png"));
    expect(changed.filter((file) => file.startsWith("1024,"))).toEqual([]);
    const listed = JSON.parse(await readFile(join(out, "vitrine-viewer/images.json"), "utf8"));
    expect(listed.map(({ name }: { name: string }) => name)).toEqual(["changed.png", "kept.png"]);
  });

  it("continues an unfinished image, and offers it only when complete", async () => {
    const out = join(folder, "resumed");
    const image = join(pictures(), "grid.png");
    await runExport(image, out);
    const path = join(out, ".vitrine-export.json");
    const state = JSON.parse(await readFile(path, "utf8"));
    state.images[0][1].isDone = false;
    await writeFile(path, JSON.stringify(state));
    const [lost, kept] = [
      "512,0,512,512/512,512/0/default.jpg",
      "0,0,512,512/512,512/0/default.jpg",
    ];
    await rm(join(out, "grid.png/info.json"));
    await rm(join(out, "grid.png", lost));
    const before = await stat(join(out, "grid.png", kept));
    expect((await runExport(image, out)).err).toContain("Exported 1 image");
    expect((await stat(join(out, "grid.png", kept))).ino).toBe(before.ino);
    const files = await filesIn(join(out, "grid.png"));
    expect(files).toEqual(expect.arrayContaining([lost, "info.json"]));
  });

  it("refuses images that clients without a login may not see", async () => {
    const config = join(folder, "vitrine.properties");
    await writeFile(
      config,
      `FilesystemSource.BasicLookupStrategy.path_prefix = ${pictures()}/\naccess.rules.1.identifier = ^grid\naccess.rules.1.address = 127.0.0.1\naccess.rules.2.identifier = ^grid\naccess.rules.1.action = allow\naccess.rules.2.action = deny\n`,
    );
    const out = join(folder, "refused");
    const { code, err } = await runExport("--config", config, "--identifier", "grid.png", out);
    expect(code).toBe(1);
    expect(err).toContain("grid.png: Clients without a login may not see the image");
    expect((await filesIn(out)).filter((file) => file.includes("grid"))).toEqual([]);
  });

  it("keeps transparency in PNG, listed first in info.json", async () => {
    const image = join(folder, "clear.png");
    const clear = { r: 255, g: 0, b: 0, alpha: 0.5 };
    await sharp({ create: { width: 40, height: 30, channels: 4, background: clear } })
      .png()
      .toFile(image);
    const out = join(folder, "clear");
    expect(await runExport(image, out, "--format", "png,jpg")).toMatchObject({ code: 0 });
    const picture = join(out, "clear.png/full/max/0/default.png");
    expect((await sharp(picture).metadata()).hasAlpha).toBe(true);
    const info = JSON.parse(await readFile(join(out, "clear.png/info.json"), "utf8"));
    expect(info.preferredFormats).toEqual(["png", "jpg"]);
  });

  it.each([
    [["no-such-file", "out"], /there is no file or folder 'no-such-file'/],
    [["--source", "out", "more"], /expected one argument, OUT/],
    [["--identifier", "a", "--folder", "b", "out"], /--folder needs --source/],
    [["a", "b", "--api", "2", "--format", "webp"], /--api 2 and both need jpg/],
    [["a", "b", "--format", "xyz"], /Expected some of/],
    [["a", "gs://b"], /there is no file|expected OUT/],
    [["a", "b", "--base-url", "ftp://x"], /Expected an http or https URL/],
  ])("refuses %j", async (args, message) => {
    const { code, err } = await runExport(...args);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });
});
