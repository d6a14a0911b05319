import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Administered, startAdministered } from "./administered.ts";
import { imagePath } from "./requests.ts";

let server: Administered | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const start = async (lines: readonly string[] = []): Promise<Administered> => {
  server = await startAdministered(["endpoint.health.min_disk_space = 0", ...lines]);
  return server;
};

const looking = "endpoint.health.dependency_check = true";
const health = (path = "/health") => server?.ask("GET", path, { login: null });

describe("/health", () => {
  it("responds with GREEN after checking only the images' folder", async () => {
    await start();
    const told = await health();
    expect(told?.status).toBe(200);
    expect(told?.headers["cache-control"]).toBe("no-cache");
    expect(told?.json()).toEqual({
      color: "GREEN",
      message: null,
      checks: [{ name: "source", color: "GREEN", milliseconds: expect.any(Number) }],
      possibleColors: ["GREEN", "YELLOW", "RED"],
    });
  });

  it("reads images that worked before, and responds with 500 once that fails", async () => {
    const { folder, ask } = await start([looking]);
    for (const name of ["small.png", "large.tif"])
      expect((await ask("GET", imagePath(3, name))).status).toBe(200);
    const good = await health();
    expect(good?.status).toBe(200);
    const names = (json: { checks: { name: string }[] }) => json.checks.map(({ name }) => name);
    expect(names(good?.json())).toEqual([
      "source",
      "FilesystemSource, png",
      "FilesystemSource, tif",
      "HeapCache",
      "memory",
    ]);

    await writeFile(join(folder, "large.tif"), "This is no picture any more.");
    const bad = await health();
    expect(bad?.status).toBe(500);
    expect(bad?.json()).toMatchObject({
      color: "RED",
      message: expect.stringContaining("FilesystemSource, tif"),
    });

    await rm(join(folder, "large.tif"));
    expect((await health())?.status).toBe(200);
    expect(names((await health())?.json())).not.toContain("FilesystemSource, tif");
  });

  it("writes to a cache, reads and purges the entry", async () => {
    const { folder } = await start([
      looking,
      "cache.server.derivative.enabled = true",
      "cache.server.derivative = HeapCache",
    ]);
    expect((await health())?.json().checks.map(({ name }: { name: string }) => name)).toContain(
      "HeapCache",
    );
    const status = (await server?.ask("GET", "/status"))?.json();
    expect(status.caches[0]).toMatchObject({ layer: "memory", entries: 0 });
    expect(folder).toBeTruthy();
  });

  it("reports when a filesystem cache is no longer writable", async () => {
    const cache = join("/tmp", `vitrine-health-${process.pid}`);
    await mkdir(cache);
    try {
      await start([
        looking,
        "cache.server.derivative.enabled = true",
        "cache.server.derivative = FilesystemCache",
        `FilesystemCache.pathname = ${cache}`,
      ]);
      expect((await health())?.status).toBe(200);
      await rename(cache, `${cache}-away`);
      await writeFile(cache, "no folder");
      const bad = await health();
      expect(bad?.status).toBe(500);
      expect(bad?.json().message).toContain("FilesystemCache");
      await rm(cache);
      await rename(`${cache}-away`, cache);
    } finally {
      await rm(cache, { recursive: true, force: true });
    }
  });

  it("warns with 500 when memory is scarce", async () => {
    await start([looking, "endpoint.health.min_memory = 1P"]);
    const told = await health();
    expect(told?.status).toBe(500);
    expect(told?.json().message).toContain("memory");
  });

  it("does not respond while disabled, nor do the other checks", async () => {
    await start(["endpoint.health.enabled = false"]);
    for (const path of ["/health", "/livez", "/readyz"])
      expect((await health(path))?.status).toBe(403);
  });
});

describe("/livez and /readyz", () => {
  it("distinguish a server without access to its images from a dead one", async () => {
    const { folder } = await start();
    expect((await health("/readyz"))?.status).toBe(200);
    await rename(folder, `${folder}-away`);
    const told = await health("/readyz");
    expect(told?.status).toBe(503);
    expect(told?.json()).toMatchObject({ color: "RED" });
    expect(told?.text).not.toContain(folder);
    expect((await health("/livez"))?.status).toBe(200);
    await rename(`${folder}-away`, folder);
    expect((await health("/readyz"))?.status).toBe(200);
  });
});
