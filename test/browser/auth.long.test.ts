import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AuthSite, openSeadragonFile, showsSecret, startAuthSite } from "./auth-site.ts";
import { authViewer } from "./auth-viewer.ts";
import { findChromium, startChromium } from "./chromium.ts";

const executable = findChromium();
if (executable === undefined)
  console.warn("The browser tests are skipped: no Chromium is installed in any folder of PATH.");

/** A folder for screenshots of each step. */
const shots = process.env["VITRINE_SHOTS"];

declare const window: {
  readonly viewer?: { readonly world: { getItemAt(index: number): { getFullyLoaded(): boolean } } };
};

describe.skipIf(executable === undefined)("a viewer on another site with IIIF Auth 2", () => {
  let site: AuthSite;
  let browser: Browser;
  let context: BrowserContext;

  beforeAll(async () => {
    site = await startAuthSite({ "/openseadragon.js": openSeadragonFile() }, ({ image }) => ({
      "/": authViewer(image(3)),
    }));
    browser = await startChromium(executable ?? "");
    context = await browser.newContext();
  }, 90_000);

  afterAll(async () => {
    await browser?.close();
    await site?.stop();
  });

  const see = async (page: Page, heading: string, name: string): Promise<boolean> => {
    await page.getByRole("heading", { name: heading }).waitFor();
    if (heading === "Shown")
      await page.waitForFunction(() => window.viewer?.world.getItemAt(0)?.getFullyLoaded());
    // Loaded tiles are faded in.
    await page.waitForTimeout(800);
    if (shots !== undefined) await page.screenshot({ path: `${shots}/auth-${name}.png` });
    return showsSecret(await page.locator("#viewer").screenshot());
  };

  const openLogin = async (page: Page): Promise<Page> => {
    const [login] = await Promise.all([
      page.waitForEvent("popup"),
      page.getByRole("button", { name: "Library card" }).click(),
    ]);
    return login;
  };

  /** What the browser gets of the image itself, with its cookies. */
  const imageStatus = async (): Promise<number> =>
    (await context.request.get(`${site.image(3)}/full/max/0/default.jpg`)).status();

  test("shows the image after a login, and not after the logout", async () => {
    const page = await context.newPage();
    await page.goto(site.pages);
    expect(await see(page, "For readers only", "1-refused")).toBe(false);
    expect(await imageStatus()).toBe(401);

    const login = await openLogin(page);
    await login.getByLabel("User name").fill("ada");
    await login.getByLabel("Password").fill("wrong");
    await login.getByRole("button", { name: "Log in" }).click();
    await login.getByRole("alert").waitFor();
    if (shots !== undefined) await login.screenshot({ path: `${shots}/auth-2-login.png` });
    expect(await imageStatus()).toBe(401);

    await login.getByLabel("Password").fill("open sesame");
    await Promise.all([
      login.waitForEvent("close"),
      login.getByRole("button", { name: "Log in" }).click(),
    ]);
    expect(await see(page, "Shown", "3-shown")).toBe(true);
    expect(await imageStatus()).toBe(200);

    await page.getByRole("button", { name: "Leave" }).click();
    expect(await see(page, "For readers only", "4-refused")).toBe(false);
    expect(await imageStatus()).toBe(401);
    await page.reload();
    expect(await see(page, "For readers only", "5-reloaded")).toBe(false);
  });

  test("reports why there is no token", async () => {
    const page = await context.newPage();
    await page.goto(site.pages);
    await (await openLogin(page)).close();
    await page.getByText("missingAspect").waitFor();
    expect(await see(page, "For readers only", "6-no-token")).toBe(false);
  });
});
