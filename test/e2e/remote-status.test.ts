import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ServerError } from "../../src/core/errors.ts";
import { StoreFailure } from "../../src/sources/remote/failures.ts";
import { createRemote } from "../../src/sources/remote/remote.ts";
import { remoteSource } from "../../src/sources/remote/source.ts";
import { memoryStore, remoteSettings } from "../memory-store.ts";
import { type Administered, startAdministered } from "./administered.ts";
import { imagePath } from "./requests.ts";

let server: Administered | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** A server whose images are in a store in memory, instead of its folder. */
const start = async (lines: readonly string[] = []) => {
  const store = memoryStore();
  const settings = { ...remoteSettings, "source.attempts": 1, "source.breaker.failures": 3 };
  let reach: () => Promise<"there" | "empty"> = async () => "there";
  const started = await startAdministered(
    ["endpoint.health.min_disk_space = 0", "endpoint.health.min_memory = 0", ...lines],
    {
      around: {
        images: (images) => images,
        source: () => ({
          ...remoteSource(
            store,
            createRemote(() => settings),
          ),
          reach: () => reach(),
        }),
      },
    },
  );
  server = started;
  const bytes = await readFile(join(started.folder, "large.tif"));
  store.objects.set("large.tif", { bytes, etag: '"one"' });
  return {
    store,
    ask: started.ask,
    fail: (error: Error) => {
      reach = () => Promise.reject(error);
    },
  };
};

describe("a server with images in a remote store", () => {
  it("reports requests and state of each server in its status", async () => {
    const { store, ask } = await start();
    expect((await ask("GET", "/status")).json().sources).toEqual([
      { kind: "FilesystemSource", served: [], origins: [] },
    ]);
    expect((await ask("GET", imagePath(3, "large.tif"))).status).toBe(200);
    const [source] = (await ask("GET", "/status")).json().sources;
    expect(source).toMatchObject({
      served: ["tif"],
      origins: [
        {
          ...{ origin: "memory:", breaker: "closed", failures: 0, running: 0, waiting: 0 },
          requests: store.sent.length,
          averageMs: expect.any(Number),
        },
      ],
    });
    expect(source.origins[0].bytes).toBeGreaterThan(10_000);
  });

  it("is unhealthy while the store keeps failing, and says which", async () => {
    const { store, ask } = await start();
    const health = () => ask("GET", "/health", { login: null });
    expect((await health()).json()).toMatchObject({ color: "GREEN", message: null });
    store.around = async () => {
      throw new StoreFailure("it is away", { retry: true });
    };
    for (let n = 0; n < 3; n++)
      expect((await ask("GET", imagePath(3, "large.tif"))).status).toBe(502);
    const told = await health();
    expect(told.status).toBe(500);
    expect(told.json()).toMatchObject({
      color: "RED",
      message: "FilesystemSource, memory:: It failed repeatedly and is not asked for a while.",
    });
    expect((await ask("GET", "/status")).json().sources[0].origins[0]).toMatchObject({
      breaker: "open",
      failures: 3,
    });
  });

  it("is neither healthy nor ready while the store is unreachable, without its messages", async () => {
    const { ask, fail } = await start();
    const cause = Object.assign(new Error("connect to 10.0.0.1"), { code: "ECONNREFUSED" });
    fail(new ServerError("upstream", "The bucket 'secret' cannot be reached.", { cause }));
    for (const path of ["/health", "/readyz"]) {
      const told = await ask("GET", path, { login: null });
      expect(told.status).toBeGreaterThanOrEqual(500);
      expect(told.json().message).toBe(
        "source: It cannot be reached: the server refuses connections.",
      );
    }
  });
});
