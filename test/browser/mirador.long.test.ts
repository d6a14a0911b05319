import { writeFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type AuthSite,
  findMirador,
  miradorMissing,
  showsSecret,
  startAuthSite,
} from "./auth-site.ts";
import { findChromium, startChromium } from "./chromium.ts";

const executable = findChromium();
if (executable === undefined)
  console.warn(
    "The tests with Mirador are skipped: no Chromium is installed in any folder of PATH.",
  );

/**
 * Mirador supports IIIF Auth 1.0. As of version 4.0.0 it does not reload tiles that were refused
 * before.
 */
const versions = [
  { version: "3.4.3", reloads: true },
  { version: "4.0.0", reloads: false },
].map((one) => ({ ...one, file: findMirador(one.version) }));
for (const { version, file } of versions)
  if (file === undefined)
    console.warn(`The test with Mirador ${version} is skipped: ${miradorMissing}.`);

/** A folder for screenshots of each step. */
const shots = process.env["VITRINE_SHOTS"];

const viewerPage = `<!doctype html>
<meta charset="utf-8">
<title>Mirador</title>
<div id="viewer"></div>
<script src="/mirador.js"></script>
<script>
Mirador.viewer({
  id: "viewer",
  windows: [{ manifestId: location.origin + "/manifest.json" }],
  workspaceControlPanel: { enabled: false },
});
</script>
`;

/** A manifest of Presentation 3 with one canvas, whose image has a service of Image API 2. */
const manifest = ({ image, pages }: Pick<AuthSite, "image" | "pages">): string => {
  const size = { width: 1_600, height: 1_200 };
  const canvas = `${pages}/canvas`;
  const body = {
    id: `${image(2)}/full/full/0/default.jpg`,
    type: "Image",
    format: "image/jpeg",
    ...size,
    service: [
      {
        "@id": image(2),
        "@type": "ImageService2",
        profile: "http://iiif.io/api/image/2/level2.json",
      },
    ],
  };
  const painting = {
    id: `${pages}/painting`,
    type: "Annotation",
    motivation: "painting",
    target: canvas,
    body,
  };
  return JSON.stringify({
    "@context": "http://iiif.io/api/presentation/3/context.json",
    id: `${pages}/manifest.json`,
    type: "Manifest",
    label: { en: ["A map"] },
    items: [
      {
        id: canvas,
        type: "Canvas",
        ...size,
        items: [{ id: `${pages}/page`, type: "AnnotationPage", items: [painting] }],
      },
    ],
  });
};

for (const { version, file, reloads } of versions)
  describe.skipIf(executable === undefined || file === undefined)(`Mirador ${version}`, () => {
    let site: AuthSite;
    let browser: Browser;

    beforeAll(async () => {
      site = await startAuthSite({ "/mirador.js": file ?? "" }, (own) => ({
        "/": viewerPage,
        "/manifest.json": manifest(own),
      }));
      browser = await startChromium(executable ?? "");
    }, 90_000);

    afterAll(async () => {
      await browser?.close();
      await site?.stop();
    });

    const photograph = async (page: Page, name: string): Promise<Buffer> => {
      const shot = await page.screenshot();
      if (shots !== undefined) await writeFile(`${shots}/mirador-${version}-${name}.png`, shot);
      return shot;
    };

    const waitUntilShown = (page: Page, isShown: boolean, name: string) =>
      expect
        .poll(async () => showsSecret(await photograph(page, name)), { timeout: 20_000 })
        .toBe(isShown);

    test("logs a reader in and out", { timeout: 90_000 }, async () => {
      const context = await browser.newContext({ viewport: { width: 1_000, height: 700 } });
      const page = await context.newPage();
      /** What the browser gets of the image itself, with its cookies. */
      const imageStatus = async (): Promise<number> =>
        (await context.request.get(`${site.image(2)}/full/full/0/default.jpg`)).status();
      await page.goto(site.pages);
      const bar = page.getByRole("button", { name: "Library card" });
      await bar.waitFor();
      await waitUntilShown(page, false, "1-refused");
      expect(await imageStatus()).toBe(401);

      await bar.click();
      await page.getByText("Log in with your library card.").waitFor();
      await photograph(page, "2-bar");
      const [login] = await Promise.all([
        page.waitForEvent("popup"),
        page.getByRole("button", { name: "Log in" }).click(),
      ]);
      await login.getByLabel("User name").fill("ada");
      await login.getByLabel("Password").fill("open sesame");
      await Promise.all([
        login.waitForEvent("close"),
        login.getByRole("button", { name: "Log in" }).click(),
      ]);
      const leave = page.getByRole("button", { name: "Leave" });
      await leave.waitFor();
      const view = reloads ? page : await context.newPage();
      if (!reloads) await view.goto(site.pages);
      await waitUntilShown(view, true, "3-shown");
      expect(await imageStatus()).toBe(200);

      await leave.click();
      await bar.waitFor();
      await expect.poll(imageStatus).toBe(401);
      if (!reloads) await page.reload();
      await bar.waitFor();
      await waitUntilShown(page, false, "4-refused");
      await context.close();
    });
  });
