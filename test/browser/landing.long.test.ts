import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { barriers } from "./axe.ts";
import { findChromium, startChromium } from "./chromium.ts";
import { type RunningServer, startServer } from "./server.ts";
import { lookAt } from "./viewer.ts";

const executable = findChromium();
if (executable === undefined)
  console.warn("The browser tests are skipped: no Chromium is installed in any folder of PATH.");

const samples = fileURLToPath(new URL("../../samples/", import.meta.url));

/** The used part of elements in the page. */
interface Picture {
  readonly naturalWidth: number;
}
interface Field {
  readonly validationMessage: string;
}

/** Of 255, the mean over the view: JPEG tiles of the server's default quality stay below. */
const alike = 2.5;

/** Milliseconds for a test: without a GPU, each viewer takes seconds to start. */
const timeout = 120_000;

describe.skipIf(executable === undefined)("the landing page in a browser", { timeout }, () => {
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

  const start = (hash = ""): Promise<unknown> => page.goto(`${server.base}${hash}`);
  const heading = (text: string) => page.locator("h1:visible", { hasText: text }).waitFor();
  const names = (): Promise<readonly string[]> =>
    page.locator("#pictures a bdi:first-of-type").allTextContents();
  const settled = (where: Page) =>
    expect.poll(() => where.locator(".frame.waiting").count(), { timeout: 30_000 }).toBe(0);

  test("shows folders and images with thumbnails and covers", async () => {
    await page.locator("#pictures a").first().waitFor();
    expect(await names()).toEqual(expect.arrayContaining(["deep-zoom", "chart.png"]));
    await settled(page);
    const sizes = await page
      .locator("#pictures img")
      .evaluateAll((all) => all.map((image) => (image as unknown as Picture).naturalWidth));
    expect(sizes.length).toBeGreaterThanOrEqual(10);
    expect(Math.min(...sizes)).toBeGreaterThan(10);
    expect(await page.locator("#progress").textContent()).toBe("1 folder, 9 images");
  });

  test("opens folders and images, and restores the position on going back", async () => {
    await page.getByRole("link", { name: "deep-zoom" }).click();
    await heading("deep-zoom");
    expect(new URL(page.url()).hash).toBe("#folder=deep-zoom");
    await expect.poll(names).toEqual(["mandelbrot.tif"]);
    expect(await page.evaluate("document.activeElement.id")).toBe("heading");
    await page.getByRole("link", { name: "mandelbrot.tif" }).press("Enter");
    await heading("mandelbrot.tif");
    await page.locator("#controls").waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("name");
    expect(await page.title()).toBe("mandelbrot.tif – Vitrine");
    const above = page.locator("#place").getByRole("link");
    expect(await above.allTextContents()).toEqual(["All images", "deep-zoom"]);
    await page.goBack();
    await heading("deep-zoom");
    expect(await page.evaluate("document.activeElement.textContent")).toContain("mandelbrot.tif");
    await page.goBack();
    await heading("All images");
    expect(await page.evaluate("document.activeElement.textContent")).toContain("deep-zoom");
  });

  test("searches by words, and offers to open other text as an identifier", async () => {
    await page.getByRole("searchbox").fill("CHÁRT png");
    await page.getByRole("searchbox").press("Enter");
    await heading("Results for “CHÁRT png”");
    await page.locator("#progress", { hasText: "1 image" }).waitFor();
    expect(await names()).toEqual(["chart.png"]);
    await page.getByRole("searchbox").fill("three-pages.tif;2");
    await page.getByRole("button", { name: "Search" }).click();
    await page.locator("#note a", { hasText: "open the image" }).click();
    await heading("three-pages.tif");
    await page.goBack();
    await page.goBack();
    await heading("Results for “CHÁRT png”");
    expect(await page.getByRole("searchbox").inputValue()).toBe("CHÁRT png");
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
    await slow.goto(`${server.base}#chart.png`);
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
    { name: "deep-zoom/mandelbrot.tif", scale: 1, left: 760, top: 1530 },
    { name: "deep-zoom/mandelbrot.tif", scale: 1 / 2, left: 1050, top: 850 },
  ] as const;

  test.each(views)("shows $name at scale $scale correctly", async ({ name, scale, left, top }) => {
    await start(`#${encodeURIComponent(name)}`);
    const { shot, region } = await lookAt(page, { scale, left, top });
    const { width, height } = await sharp(shot).metadata();
    const expected = async (from: typeof region): Promise<Buffer> =>
      softened(
        await sharp(`${samples}${name}`)
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
    await start("#chart.png");
    await lookAt(page, { scale: 1, left: 300, top: 200 });
    const address = await page.locator("#address").inputValue();
    expect(address).toMatch(/\/iiif\/3\/chart\.png\/300,200,\d+,\d+\/\d+,\/0\/default\.jpg$/);
    expect((await fetch(address)).headers.get("content-type")).toBe("image/jpeg");
    const links = await page
      .locator("#information a")
      .evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
    expect(links).toHaveLength(3);
    for (const link of links) expect((await fetch(link)).status).toBe(200);
    const download = await page.getByRole("link", { name: "Download JPEG" }).getAttribute("href");
    const { headers } = await fetch(download ?? "");
    expect(headers.get("content-disposition")).toBe('attachment; filename="chart.jpg"');
  });

  test("pages through a document by buttons, number, keys and thumbnails", async () => {
    await start("#three-pages.tif");
    const at = async (number: number): Promise<void> => {
      await expect.poll(() => page.locator("#number").inputValue()).toBe(String(number));
      await page.locator(`#strip a[aria-current][data-page="${number}"]`).waitFor();
      await page.locator("#controls").waitFor();
    };
    await at(1);
    await page.getByRole("button", { name: "Next page" }).click();
    await at(2);
    expect(new URL(page.url()).hash).toBe("#three-pages.tif%3B2");
    expect(await page.evaluate("document.activeElement.id")).toBe("next");
    await page.keyboard.press("ArrowLeft");
    await at(1);
    await page.locator("#number").fill("3");
    await page.locator("#number").press("Enter");
    await at(3);
    await page.getByRole("link", { name: "Page 2" }).click();
    await at(2);
    await page.locator("#number").fill("4");
    await page.locator("#number").press("Enter");
    await expect
      .poll(() =>
        page.locator("#number").evaluate((field) => (field as unknown as Field).validationMessage),
      )
      .toBe("Enter a number from 1 to 3.");
    await page.goBack();
    await at(3);
  });

  test("reports a missing image", async () => {
    // In a page of its own: browsers log missing resources in the console.
    const lost = await browser.newPage();
    await lost.goto(`${server.base}#nothing-of-this-name`);
    await lost.locator("#message", { hasText: "nothing-of-this-name cannot be shown" }).waitFor();
    expect(await lost.locator("#controls").isVisible()).toBe(false);
    await lost.close();
  });

  test("reports why a thumbnail cannot be shown", async () => {
    // In a page of its own: browsers log failed requests in the console.
    const other = await browser.newPage();
    await other.route(/chart\.png\/full/, (route) =>
      route.fulfill({ status: 501, json: { message: "It is <b>broken</b>." } }),
    );
    await other.goto(server.base);
    await other.locator(".frame.broken small", { hasText: "It is <b>broken</b>." }).waitFor();
    await other.close();
  });

  test("copies a manifest's link and opens it in another viewer, if manifests are enabled", async () => {
    const other = await browser.newPage();
    await other.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await other.route(/landing\.json/, async (route) => {
      const facts = await (await route.fetch()).json();
      const viewers = [
        { label: "Mirador", template: "https://m.example/?iiif-content={manifest}" },
      ];
      await route.fulfill({ json: { ...facts, presentation: true, viewers } });
    });
    await other.goto(`${server.base}#three-pages.tif%3B2`);
    await other.getByRole("button", { name: "Copy manifest link" }).click();
    await other.getByRole("button", { name: "Copied" }).waitFor();
    const manifest = `${server.base}presentation/3/three-pages.tif/manifest.json`;
    expect(await other.evaluate("navigator.clipboard.readText()")).toBe(manifest);
    const link = other.getByRole("link", { name: "Mirador" });
    expect(await link.getAttribute("href")).toBe(
      `https://m.example/?iiif-content=${encodeURIComponent(manifest)}`,
    );
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    await other.close();
  });

  const windows = [
    { width: 320, height: 640, colorScheme: "dark" },
    { width: 390, height: 844, colorScheme: "light" },
    { width: 1600, height: 1000, colorScheme: "dark" },
    { width: 2560, height: 1440, colorScheme: "light" },
  ] as const;

  test.each(windows)(
    "fits a window $width pixels wide and is accessible, $colorScheme",
    async ({ width, height, colorScheme }) => {
      const other = await browser.newPage({ viewport: { width, height }, colorScheme });
      for (const hash of [
        "",
        "#folder=deep-zoom",
        "#search=chart",
        "#three-pages.tif",
        "#nothing",
      ]) {
        await other.goto("about:blank");
        await other.goto(`${server.base}${hash}`);
        await other
          .locator("#pictures a, #message:not(.busy):not([hidden]), #controls")
          .first()
          .waitFor();
        expect(await barriers(other), hash).toEqual([]);
        expect(await other.evaluate("document.documentElement.scrollWidth"), hash).toBe(width);
      }
      await other.close();
    },
  );

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
