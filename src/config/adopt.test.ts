import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { type ConfigFile, loadConfig } from "./file.ts";
import { defineKeys } from "./keys.ts";

const keys = defineKeys({
  pixels: { type: "integer", default: 1, doc: "" },
  scale: { type: "integer", default: 1, doc: "" },
});

const open = async (path: string, more: object = {}): Promise<ConfigFile> => {
  const file = await loadConfig({
    groups: [{ title: "", keys }],
    env: {},
    path,
    settleMs: 60_000,
    writeMs: 60_000,
    ...more,
  });
  onTestFinished(() => file.close());
  return file;
};

const place = async (text: string): Promise<string> => {
  const path = join(await temporaryFolder(), "a.properties");
  await writeFile(path, text);
  return path;
};

describe("a configuration that follows another process", () => {
  it("has that process's values, before and after they are in the file, and writes nothing", async () => {
    const path = await place("# a\npixels = 2\n");
    const owner = await open(path);
    const follower = await open(path, { follows: true });
    const settings = follower.config.view(keys);
    const seen: number[] = [];
    follower.config.onChange(() => seen.push(settings().pixels));

    owner.set({ pixels: 3 });
    await follower.adopt(owner.runtime);
    expect(settings().pixels).toBe(3);
    await follower.flush();
    expect(await readFile(path, "utf8")).toBe("# a\npixels = 2\n");

    await owner.flush();
    expect(owner.runtime.size).toBe(0);
    expect(owner.unwritten).toEqual([]);
    await follower.adopt(owner.runtime);
    expect(settings().pixels).toBe(3);
    expect(follower.origin("pixels").layer).toBe("file");
    // It never was the old value in between.
    expect(seen).not.toContain(2);
  });

  it("keeps unwritten changes when the file is edited", async () => {
    const path = await place("pixels = 2\nscale = 1\n");
    const follower = await open(path, { follows: true });
    await follower.adopt(new Map([["pixels", "5"]]));
    await writeFile(path, "pixels = 2\nscale = 7\n");
    await follower.reload();
    expect(follower.config.view(keys)()).toEqual({ pixels: 5, scale: 7 });
  });

  it("ends with the latest when one arrives before the other is applied", async () => {
    const path = await place("pixels = 2\n");
    const follower = await open(path, { follows: true });
    await follower.adopt(new Map([["pixels", "3"]]));
    await Promise.all([follower.adopt(new Map()), follower.adopt(new Map([["scale", "9"]]))]);
    expect(follower.config.view(keys)()).toEqual({ pixels: 2, scale: 9 });
  });
});

describe("changes at run time", () => {
  it("are reported to the listener as they arrive and as they are written", async () => {
    const owner = await open(await place("pixels = 2\n"));
    const sizes: number[] = [];
    owner.onRuntime(() => sizes.push(owner.runtime.size));
    owner.set({ pixels: 3 });
    await owner.flush();
    expect(sizes[0]).toBe(1);
    expect(sizes.at(-1)).toBe(0);
  });

  it("are written eventually when changed again during the write", async () => {
    const path = await place("pixels = 2\n");
    const owner = await open(path);
    owner.set({ pixels: 3 });
    const writing = owner.flush();
    // By then it is known what is to be written, and the files are being read.
    await new Promise((resolve) => setImmediate(resolve));
    owner.set({ pixels: 4 });
    await writing;
    expect(owner.unwritten).toEqual(["pixels"]);
    await owner.flush();
    expect(await readFile(path, "utf8")).toBe("pixels = 4\n");
    expect(owner.unwritten).toEqual([]);
  });

  it("are checked without being applied", async () => {
    const owner = await open(await place("pixels = 2\n"));
    expect(owner.faults({ pixels: "many", pixel: 3 })).toHaveLength(2);
    expect(owner.faults({ pixels: 3 })).toEqual([]);
    expect(owner.config.view(keys)().pixels).toBe(2);
  });

  it("reject lists within lists", async () => {
    const owner = await open(await place("pixels = 2\n"));
    expect(owner.set({ pixels: [[1]] }).problems).toHaveLength(1);
  });
});
