import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StoreFailure } from "../../src/sources/remote/failures.ts";
import { createRemote } from "../../src/sources/remote/remote.ts";
import { remoteSource } from "../../src/sources/remote/source.ts";
import { type Administered, startAdministered } from "../e2e/administered.ts";
import { imagePath } from "../e2e/requests.ts";
import { memoryStore, remoteSettings } from "../memory-store.ts";
import { barriers } from "./axe.ts";
import { findChromium, startChromium } from "./chromium.ts";
import { buildPanelIfNeeded } from "./panel-built.ts";

const executable = findChromium();
if (executable === undefined)
  console.warn("The browser tests are skipped: no Chromium is installed in any folder of PATH.");

/** A folder for screenshots; none are made where it is unset. */
const shots = process.env["PANEL_SCREENSHOTS"];

describe.skipIf(executable === undefined)("remote sources in the control panel", () => {
  const store = memoryStore();
  let server: Administered;
  let base = "";
  let browser: Browser;
  let page: Page;

  const shoot = async (name: string): Promise<void> => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await barriers(page)).toEqual([]);
      if (shots)
        await page.screenshot({ path: join(shots, `${name}-${colorScheme}.png`), fullPage: true });
    }
  };

  beforeAll(async () => {
    buildPanelIfNeeded();
    const settings = { ...remoteSettings, "source.attempts": 1, "source.breaker.failures": 3 };
    server = await startAdministered(
      [
        "http.host = 127.0.0.1",
        "http.port = 0",
        "endpoint.admin.enabled = true",
        "endpoint.admin.username = operator",
        "endpoint.admin.secret = open: sesame",
      ],
      {
        around: {
          images: (images) => images,
          source: () =>
            remoteSource(
              store,
              createRemote(() => settings),
            ),
        },
      },
    );
    const bytes = await readFile(join(server.folder, "large.tif"));
    store.objects.set("large.tif", { bytes, etag: '"one"' });
    store.around = async (answer) => {
      await sleep(30);
      return answer();
    };
    const [address = ""] = await server.app.listen();
    base = address;
    browser = await startChromium(executable ?? "");
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(`${base}admin`);
    await page.getByLabel("User name").fill("operator");
    await page.getByLabel("Password").fill("open: sesame");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  test("are shown with the number of their requests", async () => {
    expect((await server.ask("GET", imagePath(3, "large.tif"))).status).toBe(200);
    await page.reload();
    const sources = page.getByRole("region", { name: "Sources", exact: true });
    const row = sources.getByRole("row", { name: /memory:/ });
    await row.getByText("In use").waitFor();
    const cells = await row.getByRole("cell").allTextContents();
    // Health checks also read the image sooner or later.
    expect(Number(cells[1])).toBeGreaterThan(0);
    expect(cells[2]).toBe("0");
    expect(cells[3]).toMatch(/^[1-9].*KiB$/);
    expect(cells[4]).toMatch(/^[1-9].*ms$/);
    await shoot("sources");
  });

  test("show the location of an image, and the requests for it", async () => {
    await page.getByRole("navigation", { name: "Sections" }).getByText("Images").first().click();
    await page.getByLabel("Identifier").fill("large.tif");
    await page.keyboard.press("Enter");
    const facts = page.getByRole("region", { name: "large.tif" });
    await facts.getByText("memory:large.tif").waitFor();
    await facts.getByText(/\d requests?, since/).waitFor();
    await shoot("image");
  });

  test("are shown as backing off while they keep failing", async () => {
    store.around = async () => {
      throw new StoreFailure("it is away", { retry: true });
    };
    for (const name of ["a", "b", "c"])
      expect((await server.ask("GET", imagePath(3, `${name}.tif`))).status).toBe(502);
    await page.getByRole("navigation", { name: "Sections" }).getByText("Overview").first().click();
    await page.reload();
    await page
      .getByRole("row", { name: /memory:/ })
      .getByText("Backing off")
      .waitFor();
    await page.getByText("not asked for a while").first().waitFor();
    await shoot("sources-failing");
    await page.setViewportSize({ width: 390, height: 800 });
    await shoot("sources-narrow");
  });
});
