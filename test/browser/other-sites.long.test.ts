import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium, startChromium } from "./chromium.ts";
import { type RunningServer, startServer } from "./server.ts";

const executable = findChromium();
if (executable === undefined)
  console.warn("The browser tests are skipped: no Chromium is installed in any folder of PATH.");

const samples = fileURLToPath(new URL("../../samples/", import.meta.url));
const credentials = { username: "keeper", password: "open sesame" };

/**
 * Chromium considers 127.0.0.1 secure and sends it `Sec-Fetch-Site`; to another plain host it sends
 * `Origin` only.
 */
const hosts = ["127.0.0.1", "images.test"] as const;

describe.skipIf(executable === undefined)("pages of other sites in a browser", () => {
  let folder: string;
  let server: RunningServer;
  let evil: Server;
  let browser: Browser;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "vitrine-sites-"));
    const configuration = join(folder, "vitrine.properties");
    await writeFile(
      configuration,
      `FilesystemSource.BasicLookupStrategy.path_prefix = ${samples}
http.host = 127.0.0.1
http.workers = 1
endpoint.api.enabled = true
endpoint.api.username = ${credentials.username}
endpoint.api.secret = ${credentials.password}
endpoint.admin.enabled = true
endpoint.admin.username = ${credentials.username}
endpoint.admin.secret = ${credentials.password}
`,
    );
    server = await startServer(configuration);
    evil = createServer((request, response) => {
      const { searchParams } = new URL(request.url ?? "/", "http://evil.test");
      response.setHeader("content-type", "text/html").end(pageWithForm(searchParams));
    });
    await once(evil.listen(0, "127.0.0.1"), "listening");
    browser = await startChromium(executable ?? "", [
      "--host-resolver-rules=MAP images.test 127.0.0.1, MAP evil.test 127.0.0.1",
    ]);
  }, 90_000);

  afterAll(async () => {
    await browser?.close();
    evil?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const tasks = async (): Promise<readonly unknown[]> => {
    const login = Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64");
    const headers = { authorization: `Basic ${login}` };
    return (await fetch(`${server.base}tasks`, { headers })).json() as Promise<readonly unknown[]>;
  };

  /** A browser whose user has just entered the server's password to see its status. */
  const loggedIn = async (base: string): Promise<{ context: BrowserContext; page: Page }> => {
    const context = await browser.newContext({ httpCredentials: credentials });
    const page = await context.newPage();
    const seen = await page.goto(`${base}status`);
    expect(seen?.status()).toBe(200);
    return { context, page };
  };

  const baseFor = (host: string): string => server.base.replace("127.0.0.1", host);
  const evilPage = (): string =>
    `http://evil.test:${(evil.address() as AddressInfo).port}/page.html`;

  /** Submits a form whose body is a task in JSON; returns the status of the resulting page. */
  const submit = async (
    context: BrowserContext,
    action: string,
    enctype: string,
  ): Promise<number> => {
    const page = await context.newPage();
    const query = new URLSearchParams({ action, enctype });
    await page.goto(`${evilPage()}?${query}`);
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === "POST"),
      page.evaluate("document.forms[0].submit()"),
    ]);
    await page.close();
    return answer.status();
  };

  test.each(hosts)("cannot submit forms: %s", async (host) => {
    const base = baseFor(host);
    const { context } = await loggedIn(base);
    for (const enctype of ["text/plain", "application/x-www-form-urlencoded"])
      for (const path of ["tasks", "admin/api/tasks"])
        expect(await submit(context, base + path, enctype), path).toBe(403);
    expect(await tasks()).toEqual([]);
    await context.close();
  });

  test.each(hosts)("cannot fetch: %s", async (host) => {
    const base = baseFor(host);
    const { context, page } = await loggedIn(base);
    await page.goto(evilPage());
    await page.evaluate(`navigator.sendBeacon("${base}tasks", '{"verb":"PurgeCache"}')`);
    const outcomes = await page.evaluate(async (to) => {
      const body = '{"verb":"PurgeCache"}';
      const json = { "content-type": "application/json" };
      const ways: [string, RequestInit][] = [
        ["tasks", { method: "POST", mode: "no-cors", body }],
        [
          "tasks",
          {
            method: "POST",
            mode: "no-cors",
            body: new Blob([body], { type: json["content-type"] }),
          },
        ],
        ["tasks", { method: "POST", mode: "cors", body }],
        ["tasks", { method: "POST", mode: "cors", body, headers: json }],
        ["configuration", { method: "PUT", mode: "cors", body: "{}", headers: json }],
        ["tasks/0a0a0a0a-1b1b-4c4c-8d8d-2e2e2e2e2e2e", { method: "DELETE", mode: "cors" }],
        ["status", { mode: "cors" }],
      ];
      const read: string[] = [];
      for (const [path, how] of ways)
        read.push(
          await fetch(to + path, { credentials: "include", ...how }).then(
            async (answer) => answer.text(),
            () => "",
          ),
        );
      return read;
    }, base);
    // Nothing can be read, and nothing that reaches the server changes anything.
    expect(outcomes).toEqual(outcomes.map(() => ""));
    expect(await tasks()).toEqual([]);
    await context.close();
  });

  test.each(hosts)("are distinguished from the server's own pages: %s", async (host) => {
    const base = baseFor(host);
    const { context, page } = await loggedIn(base);
    const status = await page.evaluate(async () => {
      const answer = await fetch("/configuration", {
        method: "PUT",
        credentials: "include",
        headers: { "content-type": "application/json" },
        body: "{}",
      });
      return answer.status;
    });
    expect(status).toBe(200);
    await context.close();
  });
});

/** A form whose body is a task in JSON, as closely as forms allow. */
const pageWithForm = (given: URLSearchParams): string => `<!doctype html>
<title>Evil</title>
<form method="post" action="${given.get("action")}" enctype="${given.get("enctype")}">
  <input name='{"verb":"PurgeCache","more":"' value='"}'>
</form>
`;
