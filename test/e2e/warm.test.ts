import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { WarmJob } from "../../src/cli/warm-options.ts";
import { warmAll } from "../../src/cli/warm-run.ts";
import { Config } from "../../src/config/store.ts";
import { openSeadragonTiles } from "../openseadragon.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { startServer, type TestServer } from "./app.ts";
import { drawPictures } from "./pictures.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const thumbnail = "/iiif/3/large.png/full/!200,200/0/default.jpg";

/** A server whose derivatives are stored in a folder; its caches start empty. */
const cachingServer = async (
  values: Readonly<Record<string, unknown>> = {},
): Promise<TestServer> => {
  const cache = await temporaryFolder();
  const server = await startServer(drawPictures, {
    "cache.server.derivative.enabled": true,
    "cache.server.derivative": "FilesystemCache",
    "FilesystemCache.pathname": cache,
    "http.server_timing": "all",
    "pyramids.enabled": false,
    ...values,
  });
  closers.push(() => server.close());
  return server;
};

const warm = async (
  config: Config,
  job: Partial<WarmJob>,
  signal = new AbortController().signal,
) => {
  let [stdout, stderr] = ["", ""];
  const code = await warmAll(
    { identifiers: [], headers: {}, server: undefined, quiet: true, ...job },
    config,
    {
      out(text) {
        stdout += text;
      },
      err(text) {
        stderr += text;
      },
      outStyle: (_, text) => text,
      errStyle: (_, text) => text,
      outColumns: undefined,
      errColumns: undefined,
      signal,
    },
  );
  return { code, stdout, stderr };
};

const isDrawn = async (server: TestServer, path: string): Promise<boolean> => {
  const { status, headers } = await server.ask(path);
  expect(status).toBe(200);
  return /\bdraw\b/.test(String(headers["server-timing"]));
};

describe("warming the configured caches", () => {
  it("stores all tiles that OpenSeadragon requests where a server finds them", async () => {
    const server = await cachingServer();
    const { code, stdout } = await warm(server.config, {
      identifiers: ["large.png"],
      what: ["info", "thumbnails", "tiles"],
    });
    expect(stdout).toMatch(/^Warmed 1 image in /);
    expect(code).toBe(0);
    const info: object = JSON.parse(
      (await server.ask("/iiif/3/large.png/info.json")).body.toString(),
    );
    const urls = openSeadragonTiles(info).map((url) => new URL(url).pathname);
    expect(urls.length).toBeGreaterThan(5);
    for (const path of [thumbnail, ...urls])
      expect([path, await isDrawn(server, path)]).toEqual([path, false]);
  });

  it("is not restricted by access rules, which still apply to clients", async () => {
    const server = await cachingServer({
      "access.rules.1.identifier": "large.png",
      "access.rules.1.action": "deny",
      "access.default": "allow",
    });
    const { code } = await warm(server.config, { identifiers: ["large.png"] });
    expect(code).toBe(0);
    expect((await server.ask(thumbnail)).status).toBe(403);
  });

  it("lists the source, skips images in the journal and reports failures", async () => {
    const server = await cachingServer();
    await writeFile(join(server.folder, "broken.png"), "no image");
    await writeFile(join(server.folder, "notes.txt"), "no image either");
    const folder = await temporaryFolder();
    const files = { resume: join(folder, "journal"), failures: join(folder, "failures") };
    const first = await warm(server.config, { all: true, ...files });
    expect(first.code).toBe(1);
    expect(first.stdout).toMatch(/^Warmed 3 images in /);
    expect(first.stderr).toContain("1 image failed");
    expect(first.stderr).toContain("broken.png: 501");
    const [failure = ""] = (await readFile(files.failures, "utf8")).split("\n");
    expect(JSON.parse(failure)).toMatchObject({
      identifier: "broken.png",
      path: expect.stringContaining("/iiif/3/broken.png/"),
    });
    // As a kill leaves it.
    const lines = (await readFile(files.resume, "utf8")).trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    await writeFile(files.resume, `${lines.slice(0, 2).join("\n")}\n${lines[2]?.slice(0, 20)}`);
    const again = await warm(server.config, { all: true, ...files });
    expect(again.stdout).toMatch(/^Warmed 1 image in .*; 2 were finished before\.\n$/);
  });

  it("counts requests without rendering in a dry run", async () => {
    const server = await cachingServer();
    const { code, stdout } = await warm(server.config, {
      identifiers: ["large.png"],
      what: ["thumbnails", "levels"],
      levels: 2,
      dryRun: true,
    });
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^1 image: 4 requests, about 0\.\d MB\.\n$/),
    ]);
    expect(await isDrawn(server, thumbnail)).toBe(true);
  });

  it("is refused if its results would be lost", async () => {
    const config = new Config({ "pyramids.enabled": false });
    await expect(warm(config, { identifiers: ["a"] })).rejects.toThrow(
      /no persistent cache .*'HeapCache'.*--server/,
    );
    await expect(warm(config, { identifiers: ["a"], what: ["pyramids"] })).rejects.toThrow(
      /pyramids\.enabled/,
    );
  });
});

describe("warming a running server", () => {
  it("makes the server cache the requested derivatives", async () => {
    const server = await cachingServer();
    const { code, stderr } = await warm(new Config(), {
      identifiers: ["large.png", "missing.png", ".."],
      server: new URL(server.base),
    });
    expect(code).toBe(1);
    expect(stderr).toContain("missing.png: 404");
    expect(stderr).toContain("..: an identifier that is a dot or two");
    expect(await isDrawn(server, thumbnail)).toBe(false);
  });

  it("stops if the server requires a login, and sends the given headers", async () => {
    const server = await cachingServer({
      "access.rules.1.token": "a-token-of-many-characters",
      "access.rules.1.action": "allow",
      "access.rules.2.action": "deny",
      "access.rules.2.status": 401,
    });
    const job = { identifiers: ["large.png", "small.png"], server: new URL(server.base) };
    const refused = await warm(new Config(), job);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/requires a login \(401\).*--header-file/);
    const headers = { authorization: "Bearer a-token-of-many-characters" };
    const { code, stdout } = await warm(new Config(), { ...job, headers });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Warmed 2 images/)]);
  });

  it("waits as long as Retry-After says", async () => {
    let refusals = 0;
    const server = createServer((request, response) => {
      const isFirst = request.url?.endsWith(".jpg") && refusals++ === 0;
      if (isFirst) response.writeHead(503, { "retry-after": "1" }).end();
      else response.writeHead(200, { "content-type": "application/json" }).end(infoText);
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    closers.push(() => new Promise((closed) => server.close(closed)));
    const { port } = server.address() as AddressInfo;
    const url = new URL(`http://127.0.0.1:${port}/`);
    const { code } = await warm(new Config(), { identifiers: ["a"], server: url });
    expect([code, refusals]).toEqual([0, 2]);
  });

  it("stops if the server is unreachable", async () => {
    const url = new URL("http://127.0.0.1:1/");
    const { code, stderr } = await warm(new Config(), {
      identifiers: ["a"],
      server: url,
      api: [3],
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/stopped: http:\/\/127\.0\.0\.1:1 did not answer: /);
  });

  it("reports that the HTTP API is off, and requests slow tiles instead", async () => {
    const server = await cachingServer();
    const { code, stdout, stderr } = await warm(new Config(), {
      identifiers: ["large.png"],
      what: ["pyramids"],
      server: new URL(server.base),
      quiet: undefined,
    });
    expect(stderr).toContain("has no tasks that make pyramids");
    expect([code, stdout]).toEqual([0, expect.stringContaining(": 5 requests")]);
  });
});

const infoText = JSON.stringify({
  "@context": "http://iiif.io/api/image/3/context.json",
  id: "a",
  width: 100,
  height: 100,
});
