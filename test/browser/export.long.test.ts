import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { Browser } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runExport } from "../cli/exporting.ts";
import { asImage, drawGrid } from "../e2e/grid.ts";
import type { Database } from "../servers/database.ts";
import { noNginx, startNginx } from "../servers/nginx.ts";
import { findChromium, startChromium } from "./chromium.ts";
import { lookAt } from "./viewer.ts";

const executable = findChromium();
if (noNginx !== undefined) console.warn(`The browser test of exports is skipped: ${noNginx}`);
if (executable === undefined)
  console.warn("The browser test of exports is skipped: no Chromium is in any folder of PATH.");

const picture = drawGrid(2_300, 1_700, { square: 100, seed: 8 });

describe.skipIf(noNginx !== undefined || executable === undefined)("an export behind nginx", () => {
  let folder: string;
  let nginx: Database;
  let browser: Browser;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "vitrine-export-"));
    const image = join(folder, "a b+50%.png");
    await asImage(picture).png().toFile(image);
    const out = join(folder, "out");
    await runExport(image, out, "--api", "both", "--viewer");
    nginx = await startNginx(await filesOf(out));
    browser = await startChromium(executable ?? "");
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await nginx?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  it("shows the image at every scale, under a subpath and without missing files", async () => {
    const page = await browser.newPage({ viewport: { width: 900, height: 700 } });
    const failed: string[] = [];
    page.on("response", (answer) => {
      if (answer.status() >= 400) failed.push(answer.url());
    });
    page.on("console", (message) => {
      if (message.type() === "error") failed.push(message.text());
    });
    await page.goto(`http://127.0.0.1:${nginx.port}/i/index.html`);
    const views = [
      { left: 0, top: 0, scale: 0.25 },
      { left: 600, top: 400, scale: 0.5 },
      { left: 1_500, top: 1_100, scale: 1 },
    ];
    for (const view of views) {
      const { shot, region } = await lookAt(page, view);
      expect(await difference(shot, region)).toBeLessThan(6);
    }
    expect(failed).toEqual([]);
  }, 240_000);
});

/** The files of an export, in a folder of a web server. */
const filesOf = async (out: string): Promise<Readonly<Record<string, Uint8Array>>> => {
  const entries = await readdir(out, { recursive: true, withFileTypes: true });
  const files: Record<string, Uint8Array> = {};
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files[join("i", relative(out, path))] = await readFile(path);
  }
  return files;
};

/** The mean difference of what is shown from the original, where both are, of 255. */
const difference = async (
  shot: Buffer,
  region: { left: number; top: number; width: number; height: number },
): Promise<number> => {
  const { width = 0, height = 0 } = await sharp(shot).metadata();
  const scale = width / region.width;
  const [left, top] = [Math.max(0, region.left), Math.max(0, region.top)];
  const seen = {
    width: Math.min(picture.width, region.left + region.width) - left,
    height: Math.min(picture.height, region.top + region.height) - top,
  };
  const size = {
    width: Math.min(width, Math.floor(seen.width * scale)),
    height: Math.min(height, Math.floor(seen.height * scale)),
  };
  const original = await asImage(picture)
    .extract({ left, top, ...seen })
    .resize(size.width, size.height, { fit: "fill" })
    .removeAlpha()
    .raw()
    .toBuffer();
  const place = {
    left: Math.round((left - region.left) * scale),
    top: Math.round((top - region.top) * scale),
  };
  const shown = await sharp(shot)
    .extract({ ...place, ...size })
    .removeAlpha()
    .raw()
    .toBuffer();
  let sum = 0;
  for (let n = 0; n < shown.length; n++) sum += Math.abs((shown[n] ?? 0) - (original[n] ?? 0));
  return sum / shown.length;
};
