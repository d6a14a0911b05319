import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { startOrigin } from "../servers/origin.ts";
import { type Administered, startAdministered } from "./administered.ts";
import { imagePath } from "./requests.ts";

let server: Administered | undefined;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await server?.close();
  for (const close of closers.splice(0)) await close();
});

it("/health and /status report the state of each of several sources", async () => {
  const origin = await startOrigin();
  closers.push(() => origin.close());
  server = await startAdministered([
    "endpoint.health.min_disk_space = 0",
    "endpoint.health.min_memory = 0",
    "source.rules.1.pattern = ^web/(.+)$",
    "source.rules.1.source = HttpSource",
    "source.rules.1.identifier = $1",
    `HttpSource.BasicLookupStrategy.url_prefix = ${origin.base}/`,
  ]);
  const { ask, folder } = server;
  await mkdir(join(folder, "maps"));
  await copyFile(join(folder, "large.tif"), join(folder, "maps", "large.tif"));
  expect((await ask("GET", imagePath(3, "maps%2Flarge.tif"))).status).toBe(200);
  expect((await ask("GET", imagePath(3, "web%2Fnothing.tif"))).status).toBe(404);

  const health = async () => (await ask("GET", "/health", { login: null })).json();
  expect(await health()).toMatchObject({
    color: "GREEN",
    checks: [
      { name: "source.rules.1, HttpSource", color: "GREEN" },
      { name: "source.static, FilesystemSource", color: "GREEN" },
    ],
  });
  expect((await ask("GET", "/status")).json().sources).toMatchObject([
    { kind: "HttpSource", served: [], origins: [{ origin: origin.base, requests: 1 }] },
    { kind: "FilesystemSource", served: ["tif"], origins: [] },
  ]);
});
