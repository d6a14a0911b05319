import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium, startChromium } from "./chromium.ts";
import { type RunningServer, startServer } from "./server.ts";
import { lookAt } from "./viewer.ts";

const executable = findChromium();
if (executable === undefined)
  console.warn("The browser tests are skipped: no Chromium is installed in any folder of PATH.");

const samples = fileURLToPath(new URL("../../samples/", import.meta.url));

/** Of 255, the mean over the view: JPEG tiles of the server's default quality stay below. */
const alike = 2.5;

describe.skipIf(executable === undefined)("the landing page in a browser", () => {
  let server: RunningServer;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  const elsewhere: string[] = [];

  beforeAll(async () => {
    server = await startServer();
    browser = await startChromium(executable ?? "");
    page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    page.on("request", (request) => {
      if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(server.base))
        elsewhere.push(request.url());
    });
    await waitFor(`${server.base}iiif/3/deep-zoom%2Fmandelbrot.tif/info.json`);
    await page.goto(server.base);
  }, 90_000);

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  test("lists the samples, and shows the first one", async () => {
    await page.locator("#pictures a[aria-current]").waitFor();
    const names = await page.locator("#pictures a").allTextContents();
    expect(names).toContain("chart.png");
    expect(names).toContain("mandelbrot.tif");
    expect(await page.locator("#pictures a[aria-current]").count()).toBe(1);
  });

  test("reports that the first tile is loading, with nothing black beside it", async () => {
    const slow = await browser.newPage({ viewport: { width: 1200, height: 800 } });
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await slow.route(/default\.jpg$/, async (route) => {
      await released;
      await route.continue();
    });
    await slow.goto(server.base);
    await slow.locator("#controls").waitFor();
    const message = slow.locator("#message");
    expect(await message.textContent()).toBe("Loading …");
    expect(await message.isVisible()).toBe(true);
    expect(await slow.locator(".navigator").isVisible()).toBe(false);
    release();
    await message.waitFor({ state: "hidden" });
    expect(await slow.locator(".navigator").isVisible()).toBe(true);
    await slow.close();
  });

  const views = [
    { name: "chart.png", scale: 1, left: 420, top: 180 },
    { name: "chart.png", scale: 1 / 1.5, left: 130, top: 40 },
    { name: "mandelbrot.tif", scale: 1, left: 760, top: 1530 },
    { name: "mandelbrot.tif", scale: 1 / 2, left: 1050, top: 850 },
  ] as const;

  test.each(views)("shows $name at scale $scale correctly", async ({ name, scale, left, top }) => {
    await page.getByRole("link", { name, exact: true }).click();
    const { shot, region } = await lookAt(page, { scale, left, top });
    const file = name === "mandelbrot.tif" ? `deep-zoom/${name}` : name;
    const { width, height } = await sharp(shot).metadata();
    const expected = async (from: typeof region): Promise<Buffer> =>
      softened(
        await sharp(`${samples}${file}`)
          .extract(from)
          .resize(width, height, { fit: "fill" })
          .toBuffer(),
      );
    const seen = await softened(shot);
    expect(difference(seen, await expected(region))).toBeLessThan(alike);
    // The same measure distinguishes a slightly shifted view.
    const aside = { ...region, left: region.left + Math.ceil(32 / scale) };
    expect(difference(seen, await expected(aside))).toBeGreaterThan(alike * 2);
  });

  test("has links to image and view that the server serves", async () => {
    await page.goto(`${server.base}#chart.png`);
    await lookAt(page, { scale: 1, left: 300, top: 200 });
    const address = await page.locator("#address").inputValue();
    expect(address).toMatch(/\/iiif\/3\/chart\.png\/300,200,\d+,\d+\/\d+,\/0\/default\.jpg$/);
    expect((await fetch(address)).headers.get("content-type")).toBe("image/jpeg");
    const links = await page
      .locator("#information a")
      .evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
    expect(links).toHaveLength(3);
    for (const link of links) expect((await fetch(link)).status).toBe(200);
  });

  test("pages through a document, and shows the page number", async () => {
    await page.goto(`${server.base}#three-pages.tif`);
    await page.getByRole("button", { name: "Next page" }).click();
    await page.locator("#page", { hasText: "page 2 of 3" }).waitFor();
    expect(new URL(page.url()).hash).toBe("#three-pages.tif%3B2");
  });

  test("reports a missing image", async () => {
    // In a page of its own: browsers log missing resources in the console.
    const lost = await browser.newPage();
    await lost.goto(`${server.base}#nothing-of-this-name`);
    await lost.locator("#message", { hasText: "nothing-of-this-name cannot be shown" }).waitFor();
    expect(await lost.locator("#controls").isVisible()).toBe(false);
    await lost.close();
  });

  test.each([
    { width: 360, height: 740, colorScheme: "dark" },
    { width: 800, height: 600, colorScheme: "light" },
  ] as const)("fits a window $width pixels wide", async ({ width, height, colorScheme }) => {
    const small = await browser.newPage({ viewport: { width, height }, colorScheme });
    await small.goto(`${server.base}#chart.png`);
    await small.locator("#controls").waitFor();
    expect(await small.evaluate("document.documentElement.scrollWidth")).toBe(width);
    await small.close();
  });

  test("logs no error to the browser's console, and contacts no other server", () => {
    expect(complaints).toEqual([]);
    expect(elsewhere).toEqual([]);
  });
});

/**
 * Without WebGL the viewer draws tiles up to one pixel wider, to hide seams: that must not count.
 */
const softened = (picture: Buffer): Promise<Buffer> =>
  sharp(picture).removeAlpha().blur(1.5).raw().toBuffer();

/** The mean difference of two images' samples, of 255. */
const difference = (a: Buffer, b: Buffer): number => {
  expect(a.length).toBe(b.length);
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += Math.abs((a[at] ?? 0) - (b[at] ?? 0));
  return sum / a.length;
};

/** The large sample may still be being built when the server already responds. */
const waitFor = async (url: string): Promise<void> => {
  const end = Date.now() + 60_000;
  while ((await fetch(url)).status !== 200) {
    if (Date.now() > end) throw new Error(`No answer in time: ${url}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
};
