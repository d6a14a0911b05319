import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "../e2e/app.ts";
import { drawnPage, pdfOf } from "../pdf.ts";
import { findChromium, startChromium } from "./chromium.ts";
import { findViewer, startViewerSite, type ViewerSite } from "./viewer-site.ts";

const executable = findChromium();
if (executable === undefined)
  console.warn("The tests with viewers are skipped: no Chromium is installed in a folder of PATH.");

/** Colours of the images, which nothing else on the pages has. */
const colours = [
  { r: 30, g: 140, b: 220 },
  { r: 200, g: 60, b: 40 },
  { r: 40, g: 170, b: 80 },
] as const;

/** A viewer, and the page that opens a manifest in it. */
interface Viewer {
  readonly name: string;
  readonly version: string;
  readonly page: (manifest: string) => string;
  /** The path to open; `/` is `page`. */
  readonly path: (manifest: string) => string;
}

const viewers: readonly Viewer[] = [
  {
    name: "mirador",
    version: "4.0.0",
    page: (manifest) =>
      `<!doctype html><meta charset="utf-8"><title>Mirador</title><div id="viewer"></div><script src="/mirador.min.js"></script><script>Mirador.viewer({ id: "viewer", windows: [{ manifestId: "${manifest}" }] });</script>`,
    path: () => "/",
  },
  {
    name: "universalviewer",
    version: "4.4.0",
    page: () => "",
    path: (manifest) => `/uv.html#?manifest=${encodeURIComponent(manifest)}`,
  },
  {
    name: "clover-iiif",
    version: "3.3.8",
    page: (manifest) =>
      `<!doctype html><meta charset="utf-8"><title>Clover</title><script src="/web-components/index.umd.js"></script><clover-viewer id="${manifest}"></clover-viewer>`,
    path: () => "/",
  },
];

/** A folder for screenshots. */
const shots = process.env["VITRINE_SHOTS"];

let server: TestServer;
let browser: Browser;
beforeAll(async () => {
  if (executable === undefined) return;
  server = await startServer(
    async (folder) => {
      await mkdir(join(folder, "maps"));
      for (const [at, background] of colours.entries())
        await sharp({ create: { width: 1_600, height: 1_200, channels: 3, background } })
          .jpeg()
          .toFile(join(folder, `maps/sheet ${at + 1}.jpg`));
      await writeFile(join(folder, "maps/manifest.yml"), "label: Maps of Paris\n");
      await writeFile(join(folder, "book.pdf"), pdfOf([drawnPage, drawnPage]));
    },
    { "endpoint.presentation.enabled": true },
  );
  browser = await startChromium(executable);
}, 90_000);
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** The share of a screenshot in one of the colours. */
const shareOf = async (shot: Buffer, { r, g, b }: (typeof colours)[number]): Promise<number> => {
  const { data, info } = await sharp(shot)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  let found = 0;
  for (let at = 0; at < data.length; at += 3) {
    const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3);
    if (Math.max(Math.abs(red - r), Math.abs(green - g), Math.abs(blue - b)) < 8) found++;
  }
  return found / (info.width * info.height);
};

const photograph = async (page: Page, name: string): Promise<Buffer> => {
  const shot = await page.screenshot({ animations: "disabled" });
  if (shots !== undefined) await writeFile(`${shots}/${name}.png`, shot);
  return shot;
};

for (const viewer of viewers) {
  const { name, version } = viewer;
  const folder = findViewer(name, version);
  if (folder === undefined)
    console.warn(
      `The tests with ${name} ${version} are skipped: it is not in ~/.cache/vitrine-ci/${name}.`,
    );
  describe.skipIf(executable === undefined || folder === undefined)(`${name} ${version}`, () => {
    test.each([3, 2])(
      "shows the images of a folder's manifest of version %i",
      { timeout: 180_000 },
      async (number) => {
        const manifest = `${server.base}/presentation/${number}/maps/manifest.json`;
        const site: ViewerSite = await startViewerSite(folder ?? "", viewer.page(manifest));
        const context = await browser.newContext({ viewport: { width: 1_000, height: 700 } });
        try {
          // Fonts and the like from elsewhere, which a screenshot would wait for.
          await context.route(
            ({ hostname }) => hostname !== "127.0.0.1",
            (route) => route.abort(),
          );
          const page = await context.newPage();
          await page.goto(site.base + viewer.path(manifest));
          await expect
            .poll(async () => shareOf(await photograph(page, `${name}-${number}`), colours[0]), {
              timeout: 120_000,
              interval: 1_000,
            })
            .toBeGreaterThan(0.1);
          await page.getByText("Maps of Paris").first().waitFor({ timeout: 30_000 });
        } finally {
          await context.close();
          await site.stop();
        }
      },
    );
  });
}
