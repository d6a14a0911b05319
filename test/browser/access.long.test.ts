import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sign } from "../../src/access/signatures.ts";
import { markOf } from "../../src/access/signed-urls.ts";
import { findChromium, startChromium } from "./chromium.ts";
import { type RunningServer, startServer } from "./server.ts";
import { lookAt } from "./viewer.ts";

const executable = findChromium();
if (executable === undefined)
  console.warn("The browser tests are skipped: no Chromium is installed in any folder of PATH.");

const samples = fileURLToPath(new URL("../../samples/", import.meta.url));
const key = { id: "k1", secret: "0123456789abcdefghij" } as const;
const identifier = "deep-zoom/mandelbrot.tif";
const encoded = encodeURIComponent(identifier);

declare const document: { getElementById(id: string): unknown };
declare const OpenSeadragon: { getViewer(element: unknown): { open(url: string): void } };

describe.skipIf(executable === undefined)("a viewer under access rules", () => {
  let folder: string;
  let server: RunningServer;
  let browser: Browser;
  let page: Page;
  let answers: { readonly path: string; readonly status: number }[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "vitrine-access-"));
    const configuration = join(folder, "vitrine.properties");
    await writeFile(
      configuration,
      `FilesystemSource.BasicLookupStrategy.path_prefix = ${samples}
endpoint.landing.list = true
access.rules.1.identifier = ^deep-zoom/
access.rules.1.signed = true
access.rules.1.action = allow
access.rules.2.identifier = ^chart\\.png$
access.rules.2.action = allow
access.rules.2.max_size = 400
access.signatures.keys = ${key.id}:${key.secret}
`,
    );
    server = await startServer(configuration);
    browser = await startChromium(executable ?? "");
    page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
    page.on("response", (response) => {
      const { pathname } = new URL(response.url());
      if (pathname.startsWith("/iiif/"))
        answers.push({ path: pathname, status: response.status() });
    });
    await page.goto(server.base);
    // The viewer exists once an image does.
    await page.locator("#pictures a", { hasText: "chart.png" }).click();
    await page.locator("#controls").waitFor();
  }, 90_000);

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const open = async (path: string): Promise<void> => {
    answers = [];
    const url = server.base + path;
    await page.evaluate(
      (told) => OpenSeadragon.getViewer(document.getElementById("viewer")).open(told),
      url,
    );
    await expect.poll(() => answers.some(({ path }) => path.endsWith(".jpg"))).toBe(true);
  };

  const contrast = async (picture: Buffer): Promise<number> => {
    const { channels } = await sharp(picture).stats();
    return Math.max(...channels.map(({ stdev }) => stdev));
  };

  test("loads tiles by the signature with which info.json was opened", async () => {
    const expires = Math.floor(Date.now() / 1_000) + 600;
    const mark = markOf(sign({ keys: [key] }, { kind: "image", identifier }, expires));
    await open(`iiif/3/${mark}${encoded}/info.json`);
    const { shot } = await lookAt(page, { left: 0, top: 0, scale: 0.1 });
    expect(await contrast(shot)).toBeGreaterThan(20);
    const tiles = answers.filter(({ path }) => path.includes("mandelbrot"));
    expect(tiles.length).toBeGreaterThan(3);
    expect(tiles.filter(({ path }) => !path.includes(mark))).toEqual([]);
    expect(tiles.filter(({ status }) => status !== 200)).toEqual([]);
    const bare = await fetch(`${server.base}iiif/3/${encoded}/info.json`);
    expect(bare.status).toBe(403);
  });

  test("shows a confined image as a whole, and coarsely when enlarged", async () => {
    await open("iiif/3/chart.png/info.json");
    const whole = await lookAt(page, { left: 0, top: 0, scale: 0.25 });
    expect(await contrast(whole.shot)).toBeGreaterThan(20);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    const near = await lookAt(page, { left: 400, top: 300, scale: 1 });
    expect(await contrast(near.shot)).toBeGreaterThan(5);
    expect(answers.some(({ status }) => status === 400)).toBe(true);
  });
});
