import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { type Panelled, startPanelled } from "./panelled.ts";

const startWith = async (lines: readonly string[]): Promise<Panelled> => {
  const server = await startPanelled(["cache.server.derivative.enabled = true", ...lines]);
  onTestFinished(() => server.close());
  await server.enter();
  return server;
};

const lookUp = async (server: Panelled) => {
  const told = await server.call("GET", "images/small.png");
  expect(told.status, told.text).toBe(200);
  return told.json();
};

describe("the cached derivatives of an image in the panel", () => {
  it("are those in the cache behind memory, until that is cleared", async () => {
    const folder = join(await temporaryFolder(), "kept");
    const server = await startWith([
      "cache.server.derivative = FilesystemCache",
      `FilesystemCache.pathname = ${folder}`,
    ]);
    const kind = "FilesystemCache";
    expect((await lookUp(server)).kept).toEqual({ entries: 0, bytes: 0, kind });

    for (const size of ["20,", "30,"])
      await server.ask("GET", `/iiif/3/small.png/full/${size}/0/default.jpg`);
    // They are written in the background.
    await vi.waitFor(async () => expect((await lookUp(server)).kept.entries).toBe(2));
    const { inMemory, kept } = await lookUp(server);
    expect(kept).toEqual({ entries: 2, bytes: expect.any(Number), kind });
    expect(kept.bytes).toBeGreaterThan(inMemory.bytes);

    await rm(folder, { recursive: true });
    expect(await lookUp(server)).toMatchObject({
      inMemory: { entries: 2 },
      kept: { entries: 0, bytes: 0, kind },
    });
  });

  it("are those in memory if that is the cache", async () => {
    const server = await startWith(["cache.server.derivative = HeapCache"]);
    await server.ask("GET", "/iiif/3/small.png/full/20,/0/default.jpg");
    const image = await lookUp(server);
    expect(image.inMemory.entries).toBe(1);
    expect(image).not.toHaveProperty("kept");
  });
});
