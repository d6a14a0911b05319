import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asImage, drawGrid } from "../e2e/grid.ts";
import { barriers } from "./axe.ts";
import { findChromium, startChromium } from "./chromium.ts";
import { buildPanelIfNeeded } from "./panel-built.ts";
import { type RunningServer, startServer } from "./server.ts";

const executable = findChromium();
if (executable === undefined)
  console.warn("The browser tests are skipped: no Chromium is installed in any folder of PATH.");

const secret = "open: sesame";

/** A folder for screenshots; none are made where it is unset. */
const shots = process.env["PANEL_SCREENSHOTS"];

const windows = [
  { width: 1440, height: 900, colorScheme: "light" },
  { width: 360, height: 740, colorScheme: "dark" },
  { width: 1440, height: 900, colorScheme: "dark" },
  { width: 360, height: 740, colorScheme: "light" },
] as const;

/** Making a pyramid starts a process, which takes its time on a busy machine. */
const patience = 120_000;

describe.skipIf(executable === undefined)("pyramids in the control panel", () => {
  let folder: string;
  let server: RunningServer;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    buildPanelIfNeeded();
    folder = await mkdtemp(join(tmpdir(), "vitrine-panel-"));
    const images = join(folder, "images");
    await mkdir(images);
    const photo = await asImage(drawGrid(2_600, 2_000, { square: 301, seed: 7 }))
      .jpeg()
      .toBuffer();
    await writeFile(join(images, "slow.jpg"), photo);
    await writeFile(join(images, "broken.jpg"), photo.subarray(0, photo.length / 2));
    const configuration = join(folder, "vitrine.properties");
    await writeFile(
      configuration,
      `FilesystemSource.BasicLookupStrategy.path_prefix = ${images}/
endpoint.admin.enabled = true
endpoint.admin.username = operator
endpoint.admin.secret = ${secret}
pyramids.folder = ${join(folder, "pyramids")}
pyramids.niceness = 0
pyramids.min_pixels = 1000000
http.workers = 2
`,
    );
    server = await startServer(configuration);
    browser = await startChromium(executable ?? "");
    page = await openAt(windows[0]);
  }, patience);

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const openAt = async ({
    width,
    height,
    colorScheme,
  }: (typeof windows)[number]): Promise<Page> => {
    const opened = await browser.newPage({ viewport: { width, height }, colorScheme });
    await opened.goto(`${server.base}admin#/pyramids`);
    await opened.getByLabel("User name").fill("operator");
    await opened.getByLabel("Password").fill(secret);
    await opened.getByRole("button", { name: "Log in" }).click();
    await opened.getByRole("heading", { name: "Pyramids", level: 1 }).waitFor();
    return opened;
  };

  const row = (identifier: string) =>
    page.getByRole("row").filter({ has: page.getByRole("link", { name: identifier }) });

  test("there are none at first, which the look-up of an image says too", async () => {
    await page.getByText("There are no pyramids yet.").waitFor();
    // The viewer's tiles would cause the pyramid to be made, before the next test does.
    await page.route("**/iiif/**", (route) => route.abort());
    await page.goto(`${server.base}admin#/images/slow.jpg`);
    await page.getByText(/none yet, requests have caused .* times cheaper/).waitFor();
    await page.getByRole("link", { name: "make or delete" }).click();
    await page.getByLabel("Identifier").waitFor();
    expect(await page.getByLabel("Identifier").inputValue()).toBe("slow.jpg");
    await page.unroute("**/iiif/**");
  });

  test(
    "those of an image are made after a confirmation, and appear without a reload",
    async () => {
      await page.getByRole("button", { name: "Make … the pyramids of this image" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("slow.jpg").waitFor();
      expect(await barriers(page)).toEqual([]);
      await dialog.getByRole("button", { name: "Make pyramids" }).click();
      await page.locator(".tasks li", { hasText: "1 of 1 image: 1 made" }).waitFor({
        timeout: patience / 2,
      });
      await row("slow.jpg").getByText("Made").waitFor();
      expect(await row("slow.jpg").textContent()).toContain("2\u202f600 × 2\u202f000");
    },
    patience,
  );

  test(
    "those of all images are made, and refusals are listed with their reason",
    async () => {
      await page.getByRole("button", { name: "Make all …" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Make all pyramids" }).click();
      const task = page.locator(".tasks li", { hasText: "2 of 2 images" });
      await task.getByText("Done").waitFor({ timeout: patience / 2 });
      expect(await task.textContent()).toContain("0 made, 1 made before, 1 refused");
      await page.getByText("Refused", { exact: true }).last().waitFor();
      await page.getByLabel("Refused").check();
      await row("broken.jpg").waitFor();
      expect(await row("slow.jpg").count()).toBe(0);
      expect(await row("broken.jpg").locator("small.bad").textContent()).toMatch(/\w/);
      await page.getByLabel("All", { exact: true }).check();
    },
    patience,
  );

  test.each(windows)(
    "the page is accessible in a window $width pixels wide, $colorScheme",
    async (window) => {
      const other = await openAt(window);
      try {
        await other.locator(".pyramid-image").first().waitFor();
        expect(await barriers(other)).toEqual([]);
        const wide = await other.evaluate("document.documentElement.scrollWidth");
        expect(wide).toBeLessThanOrEqual(window.width);
        if (shots !== undefined) {
          await mkdir(shots, { recursive: true });
          const name = `pyramids-made-${window.width}-${window.colorScheme}.png`;
          await other.screenshot({ path: join(shots, name), fullPage: true });
        }
      } finally {
        await other.close();
      }
    },
    patience,
  );

  test("those of an image are deleted after a confirmation", async () => {
    await page.getByRole("button", { name: "Delete … the pyramids of slow.jpg" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete pyramids" }).click();
    await page.locator(".notice", { hasText: "1 entry removed" }).waitFor();
    await row("slow.jpg").waitFor({ state: "detached" });
  });
});
