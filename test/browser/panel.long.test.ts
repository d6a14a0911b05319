import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { amount } from "../amount.ts";
import { barriers } from "./axe.ts";
import { findChromium, startChromium } from "./chromium.ts";
import { buildPanelIfNeeded } from "./panel-built.ts";
import { type RunningServer, startServer } from "./server.ts";

const executable = findChromium();
if (executable === undefined)
  console.warn("The browser tests are skipped: no Chromium is installed in any folder of PATH.");

const samples = fileURLToPath(new URL("../../samples/", import.meta.url));
const secret = "open: sesame";
const token = "reader-token-0123456789";

/** A folder for screenshots of all sections; none are made where it is unset. */
const shots = process.env["PANEL_SCREENSHOTS"];

const sections = [
  "Overview",
  "Images",
  "Access",
  "Configuration",
  "Pyramids",
  "Caches",
  "Logs",
  "Formats",
] as const;

/** `npm test` checks the first two, which differ most; `npm run test:all` all of them. */
const windows = [
  { width: 1440, height: 900, colorScheme: "light" },
  { width: 360, height: 740, colorScheme: "dark" },
  { width: 1440, height: 900, colorScheme: "dark" },
  { width: 768, height: 900, colorScheme: "light" },
  { width: 360, height: 740, colorScheme: "light" },
] as const;

describe.skipIf(executable === undefined)("the control panel in a browser", () => {
  let folder: string;
  let server: RunningServer;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  const elsewhere: string[] = [];

  const watch = (watched: Page): void => {
    watched.on("pageerror", (error) => complaints.push(error.message));
    watched.on("console", (message) => {
      // Browsers log every refusal; the initial lack of a session is reported by one.
      const isRefusal = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !isRefusal) complaints.push(message.text());
    });
    watched.on("request", (request) => {
      if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(server.base))
        elsewhere.push(request.url());
    });
  };

  const logIn = async (into: Page, password = secret): Promise<void> => {
    await into.getByLabel("User name").fill("operator");
    await into.getByLabel("Password").fill(password);
    await into.getByRole("button", { name: "Log in" }).click();
  };

  const open = async (section: string): Promise<void> => {
    await page.getByRole("navigation", { name: "Sections" }).getByText(section).first().click();
  };

  const lookUp = async (identifier: string): Promise<void> => {
    await open("Images");
    await page.getByLabel("Identifier").fill(identifier);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: identifier }).waitFor();
  };

  /** An image as the server sends it to anybody, bypassing the browser's caches. */
  const bytesOf = async (path: string): Promise<number> => {
    const answer = await fetch(`${server.base}${path}`);
    expect(answer.status).toBe(200);
    return (await answer.arrayBuffer()).byteLength;
  };

  beforeAll(async () => {
    buildPanelIfNeeded();
    folder = await mkdtemp(join(tmpdir(), "vitrine-panel-"));
    const configuration = join(folder, "vitrine.properties");
    await writeFile(
      configuration,
      `# The first comment.
FilesystemSource.BasicLookupStrategy.path_prefix = ${samples}
endpoint.admin.enabled = true
endpoint.admin.username = operator
endpoint.admin.secret = ${secret}
endpoint.iiif.1.enabled = true
cache.server.derivative.enabled = true
cache.server.derivative = HeapCache
# Behind this comes the quality.
processor.jpg.quality = 90
access.default = allow
access.rules.10.identifier = ^closed/
access.rules.10.address = 192.0.2.0/24
access.rules.10.action = allow
access.rules.20.identifier = ^closed/
access.rules.20.token = ${token}
access.rules.20.action = allow
access.rules.20.max_size = 600
access.rules.30.identifier = ^closed/
access.rules.30.action = deny
access.rules.30.status = 401
`,
    );
    server = await startServer(configuration);
    browser = await startChromium(executable ?? "");
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    watch(page);
    await page.goto(`${server.base}admin`);
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  test("rejects a wrong password with a message", async () => {
    await logIn(page, "close sesame");
    await page.getByRole("alert").filter({ hasText: /\w/ }).waitFor();
    expect(await page.getByRole("navigation").count()).toBe(0);
    expect(await barriers(page)).toEqual([]);
  });

  test("accepts the right one, and shows the server's status", async () => {
    await page.getByRole("button", { name: "Log in" }).and(page.locator(":enabled")).waitFor();
    await logIn(page);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByText("workers serving").waitFor();
    await page.locator(".chart canvas").first().waitFor();
    await page.getByText("Healthy").first().waitFor();
  });

  test("can be used by keyboard: past the menu, and to the chosen section", async () => {
    await open("Overview");
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator("h1:focus", { hasText: "Overview" }).waitFor();
    await open("Formats");
    await page.locator("h1:focus", { hasText: "Formats and sources" }).waitFor();
    expect(await page.title()).toBe("Formats and sources – Vitrine");
  });

  test("shows which formats can be read and written", async () => {
    const row = page.getByRole("row", { name: /^JPEG jpg/ });
    await row.waitFor();
    expect(await row.getByText("Yes").count()).toBe(2);
  });

  test("shows access rules without their tokens, and their effect on a client", async () => {
    await open("Access");
    const rule = page.getByRole("row", { name: /^20/ });
    await rule.getByText("allowed up to 600 pixels a side").waitFor();
    expect(await rule.textContent()).toContain("a token");
    const trial = page.locator(".trial");
    const find = async (): Promise<string> => {
      await page.getByRole("button", { name: "Find out" }).click();
      await trial.waitFor();
      return (await trial.textContent()) ?? "";
    };
    await page.getByLabel("Identifier").fill("closed/a.tif");
    const nobody = await find();
    expect(nobody).toContain("denied with 401 Rule 30 is the first that matches.");
    expect(nobody).toContain("Rule 20: the token is missing or wrong.");
    await page.getByLabel("Bearer token").fill(token);
    expect(await find()).toContain("allowed up to 600 pixels a side Rule 20");
    await page.getByLabel("Client address").fill("192.0.2.8");
    expect(await find()).toContain("allowed Rule 10 is the first that matches.");
    await page.getByLabel("Client address").fill("nowhere");
    await page.getByRole("button", { name: "Find out" }).click();
    await page.getByRole("alert").filter({ hasText: "expected an IPv4 or IPv6 address" }).waitFor();
    expect(await page.content()).not.toContain(token);
    expect(await barriers(page)).toEqual([]);
    await page.getByLabel("Identifier").fill("open.tif");
    await page.getByLabel("Client address").fill("");
    expect(await find()).toContain("No rule matches, and access.default is allow.");
    if (shots !== undefined) {
      await mkdir(shots, { recursive: true });
      await page.screenshot({ path: join(shots, "access-tried.png"), fullPage: true });
    }
  });

  test("shows an image in the viewer, with its info", async () => {
    await lookUp("chart.png");
    const facts = page.getByRole("region", { name: "chart.png" });
    await facts.getByText("1\u202f600 × 1\u202f200 pixels").waitFor();
    await page.locator(".stage-controls:enabled").waitFor();
    // Loaded tiles are faded in.
    await page.waitForTimeout(1500);
    const { channels } = await sharp(await page.locator(".viewer").screenshot()).stats();
    expect(Math.max(...channels.map(({ stdev }) => stdev))).toBeGreaterThan(20);
  });

  test("makes requests in each version's syntax, and shows the response", async () => {
    await page.getByLabel("Size").fill("^!400,400");
    const paths = await page
      .locator(".urls a")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
    expect(paths.map((path) => path.slice(server.base.length))).toEqual([
      "iiif/3/chart.png/full/^!400,400/0/default.jpg",
      "iiif/2/chart.png/full/!400,400/0/default.jpg",
      "iiif/1/chart.png/full/!400,400/0/native.jpg",
    ]);
    for (const version of [3, 2, 1]) {
      await page.getByRole("button", { name: `Try version ${version}` }).click();
      await page.locator(".answer", { hasText: "200 image/jpeg" }).waitFor();
      await page.locator(".answer", { hasText: "400 × 300 pixels" }).waitFor();
    }
    await page.getByLabel("Rotation").fill("sideways");
    await page.getByRole("button", { name: "Try version 3" }).click();
    await page
      .locator(".answer", { hasText: "400" })
      .getByText(/rotation/i)
      .waitFor();
  });

  test("applies a changed key to the next tile and to the file, and reverts it", async () => {
    const tile = "iiif/3/chart.png/0,0,512,512/512,512/0/default.jpg";
    const before = await bytesOf(tile);
    await open("Configuration");
    await page.getByPlaceholder("Search keys, help and values").fill("processor.jpg.quality");
    const field = page.getByLabel("processor.jpg.quality", { exact: true });
    await field.fill("lots");
    await page.locator(".entry .problem", { hasText: "lots" }).waitFor();
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByRole("button", { name: "Review …" }).isEnabled()).toBe(false);
    await field.fill("20");
    await page.getByRole("button", { name: "Review …" }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.locator("del").textContent()).toBe("90");
    expect(await dialog.locator("ins").textContent()).toBe("20");
    expect(await barriers(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save 1 change" }).click();
    await page.locator(".notice", { hasText: "1 key changed" }).waitFor();
    expect(await bytesOf(tile)).toBeLessThan(before / 2);
    const written = await readFile(join(folder, "vitrine.properties"), "utf8");
    expect(written).toContain("# The first comment.\n");
    expect(written).toMatch(/# Behind this comes the quality\.\nprocessor\.jpg\.quality = 20\n/);

    await page.getByRole("button", { name: "Undo …" }).click();
    await page.getByRole("button", { name: "Review …" }).click();
    await dialog.getByRole("button", { name: "Save 1 change" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await bytesOf(tile)).toBe(before);
  });

  test("shows file-only keys as locked, with why and how to change them", async () => {
    await open("Configuration");
    const search = page.getByPlaceholder("Search keys, help and values");
    const field = (key: string) => page.getByLabel(key, { exact: true });
    const entry = (key: string) =>
      page.locator(".entry").filter({ has: page.locator("label").getByText(key, { exact: true }) });
    const path = "FfmpegProcessor.path_to_binaries";
    await search.fill(path);
    expect(await field(path).isEditable()).toBe(false);
    const said = await entry(path).textContent();
    expect(said).toContain("file only");
    expect(said).toContain("since it decides which programs and scripts the server runs");
    expect(await page.locator("main").textContent()).toContain(
      "set endpoint.api.change_file_only_keys = true in the file",
    );
    expect(await field(path).getAttribute("aria-describedby")).toContain("-lock");
    await search.fill("endpoint.a");
    expect(await field("endpoint.admin.secret").isEditable()).toBe(false);
    expect(await field("endpoint.admin.secret").getAttribute("placeholder")).toBe("set, hidden");
    expect(await field("endpoint.api.show_secrets").isDisabled()).toBe(true);
    expect(await field("endpoint.api.enabled").isEnabled()).toBe(true);
    const acts = entry("endpoint.admin.username").getByRole("button");
    expect(await acts.count()).toBe(0);
    expect(await barriers(page)).toEqual([]);
    if (shots !== undefined) {
      await mkdir(shots, { recursive: true });
      await page.screenshot({ path: join(shots, "configuration-locked.png"), fullPage: true });
    }
    // A client that bypasses the page is refused by the server, for the same reason.
    const refused = await page.evaluate(`(async () => {
      const { token } = await (await fetch("api/session")).json();
      const answer = await fetch("api/configuration", {
        method: "PUT",
        headers: { "content-type": "application/json", "x-vitrine-token": token },
        body: JSON.stringify({ "${path}": "/tmp" }),
      });
      return [answer.status, (await answer.json()).problems[0].message];
    })()`);
    expect(refused).toEqual([
      403,
      expect.stringContaining("can only be changed in the configuration file"),
    ]);
    await search.fill("");
  });

  test("purges an image, shows the progress, and lists the task", async () => {
    await bytesOf("iiif/3/chart.png/full/300,/0/default.jpg");
    await lookUp("chart.png");
    await page.getByText(/\d images? in memory/).waitFor();
    await page.getByRole("button", { name: "Purge this image …" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Purge the image" }).click();
    await page.locator(".notice", { hasText: "“chart.png” was purged" }).waitFor();
    await page.getByText("none in memory").waitFor();
    await open("Caches");
    const task = page.locator(".tasks li", { hasText: "chart.png" });
    await task.getByText("Done").waitFor();
  });

  test("shows the log as it grows, by level and text", async () => {
    await open("Logs");
    await page.locator(".log-line").first().waitFor();
    await page.getByLabel("Text").fill("the configuration was changed");
    await expect
      .poll(async () => (await page.locator(".log-line").allTextContents()).join("\n"))
      .toMatch(/^(?:.*The configuration was changed.*\n?)+$/);
    await page.getByLabel("Text").fill("");
    await page.getByLabel("Level").selectOption("error");
    await expect
      .poll(async () => [...new Set(await page.locator(".log-level").allTextContents())])
      .not.toContain("info");
  });

  test.each(windows.slice(0, Math.max(2, amount(windows.length))))(
    "is accessible in a window $width pixels wide, $colorScheme",
    async ({ width, height, colorScheme }) => {
      const other = await browser.newPage({ viewport: { width, height }, colorScheme });
      watch(other);
      try {
        await other.goto(`${server.base}admin`);
        await logIn(other);
        for (const section of sections) {
          await other.locator(`nav a[href$="#/${section.toLowerCase()}"]`).click();
          if (section === "Images") await other.goto(`${server.base}admin#/images/chart.png`);
          await other.locator("main :is(.card, .state)").first().waitFor();
          await other.waitForTimeout(400);
          expect(await barriers(other), section).toEqual([]);
          const wide = await other.evaluate("document.documentElement.scrollWidth");
          expect(wide, section).toBeLessThanOrEqual(width);
          if (shots !== undefined) {
            await mkdir(shots, { recursive: true });
            const name = `${section.toLowerCase()}-${width}-${colorScheme}.png`;
            await other.screenshot({
              path: join(shots, name),
              fullPage: section !== "Configuration",
            });
          }
        }
      } finally {
        await other.close();
      }
    },
    120_000,
  );

  test("remembers light or dark mode", async () => {
    await page.getByLabel("Dark").check();
    await page.reload();
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await page.evaluate("getComputedStyle(document.body).colorScheme")).toBe("dark");
    await page.getByLabel("Auto").check();
  });

  test("shows nothing after a logout", async () => {
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByLabel("Password").waitFor();
    expect(await page.evaluate("fetch('api/status').then(({ status }) => status)")).toBe(401);
    await page.reload();
    await page.getByLabel("Password").waitFor();
  });

  test("logs no error to the browser's console, and contacts no other server", () => {
    expect(complaints).toEqual([]);
    expect(elsewhere).toEqual([]);
  });
});
