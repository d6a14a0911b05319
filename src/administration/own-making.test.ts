import { describe, expect, it, vi } from "vitest";
import { fail } from "../core/errors.ts";
import { silent } from "../core/log.ts";
import type { ManagedPyramids, PyramidsMade } from "../service/pyramids.ts";
import { type OwnMakingParts, ownMaking } from "./own-making.ts";

const nothing: PyramidsMade = { made: 0, ready: 0, unneeded: 0, refused: [] };

async function* listed(...identifiers: readonly string[]): AsyncGenerator<string> {
  yield* identifiers;
}

const making = (make: ManagedPyramids["make"], images: readonly string[] = []) =>
  ownMaking({ pyramids: { make }, images: () => listed(...images), log: silent });

const parts: OwnMakingParts = { pyramids: undefined, images: () => listed(), log: silent };

describe("making pyramids for a task", () => {
  it("makes pyramids of one image and reports progress", async () => {
    let finish = (): void => {};
    const one = making(async (_, { onProgress }) => {
      onProgress?.(0.25);
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return { ...nothing, made: 2, refused: ["Too large."] };
    });
    const result = one.make("1", { verb: "MakePyramid", identifier: "a.jpg" });
    await vi.waitFor(() => expect(one.progress("1")?.progress).toBe(0.25));
    finish();
    expect(await result).toEqual({
      progress: 1,
      pyramids: {
        ...{ images: 1, of: 1, made: 2, ready: 0, unneeded: 0, refused: 1, failed: 0 },
        reasons: [{ identifier: "a.jpg", reason: "Too large." }],
      },
    });
    expect(one.progress("1")).toBeUndefined();
  });

  it("processes all images of the source and skips unreadable ones", async () => {
    const seen: string[] = [];
    const all = making(
      async (identifier) => {
        seen.push(identifier);
        if (identifier === "b.txt") fail("unreadable", "It is no image.");
        return { ...nothing, made: 1 };
      },
      ["a.jpg", "b.txt", "c.png"],
    );
    const { progress, pyramids } = await all.make("1", { verb: "MakePyramids" });
    expect(seen).toEqual(["a.jpg", "b.txt", "c.png"]);
    expect(progress).toBe(1);
    expect(pyramids).toMatchObject({
      ...{ images: 3, of: 3, made: 2, failed: 1 },
      reasons: [{ identifier: "b.txt", reason: "It is no image." }],
    });
  });

  it("keeps the latest reasons only", async () => {
    const images = Array.from({ length: 50 }, (_, n) => `${n}.txt`);
    const all = making(async () => fail("unreadable", "It is no image."), images);
    const { pyramids } = await all.make("1", { verb: "MakePyramids" });
    expect(pyramids?.failed).toBe(50);
    expect(pyramids?.reasons).toHaveLength(20);
    expect(pyramids?.reasons.at(-1)?.identifier).toBe("49.txt");
  });

  it("fails if the server is the cause, without internal details", async () => {
    const images = Array.from({ length: 50 }, (_, n) => `${n}.jpg`);
    const make = vi.fn(async () => {
      throw new Error("ENOSPC: no space left on device, write '/secret/folder'");
    });
    const result = making(make, images).make("1", { verb: "MakePyramids" });
    await expect(result).rejects.toMatchObject({
      failure: "internal",
      message: expect.stringContaining("The log has the reason under task "),
    });
    expect(make).toHaveBeenCalledTimes(5);
  });

  it("waits while too many pyramids wait, and then goes on", async () => {
    let attempts = 0;
    const all = ownMaking({
      pyramids: {
        make: async () => {
          if (++attempts < 8) fail("busy", "The queue for making pyramids is full.");
          return { ...nothing, made: 1 };
        },
      },
      images: () => listed("a.jpg"),
      log: silent,
      pauseMs: 1,
    });
    const { pyramids } = await all.make("1", { verb: "MakePyramids" });
    expect(pyramids).toMatchObject({ images: 1, made: 1, failed: 0 });
  });

  it("distinguishes the purge of an image from the end of the process", async () => {
    const one = making(async () =>
      fail("aborted", "The pyramid was purged while it was being made."),
    );
    await expect(one.make("1", { verb: "MakePyramid", identifier: "a" })).rejects.toMatchObject({
      failure: "busy",
      message: "The pyramid was purged while it was being made.",
    });
  });

  it("reports that pyramids are switched off or the source cannot be listed", async () => {
    const off = ownMaking(parts);
    for (const request of [
      { verb: "MakePyramids" },
      { verb: "MakePyramid", identifier: "a" },
    ] as const)
      await expect(off.make("1", request)).rejects.toThrow("set pyramids.enabled to true");
    const unlisted = ownMaking({
      ...parts,
      pyramids: { make: async () => nothing },
      // biome-ignore lint/correctness/useYield: it fails before the first
      images: async function* () {
        fail("unimplemented", "The images of this source cannot be listed.");
      },
    });
    await expect(unlisted.make("1", { verb: "MakePyramids" })).rejects.toMatchObject({
      failure: "unimplemented",
      message: "The images of this source cannot be listed.",
    });
  });

  it("ends when it is stopped, even if it ignores the signal", async () => {
    let signalled = false;
    const all = making(
      (_, _options, signal) => {
        signal.addEventListener("abort", () => {
          signalled = true;
        });
        return new Promise(() => {});
      },
      ["a.jpg"],
    );
    const result = all.make("1", { verb: "MakePyramids" });
    await vi.waitFor(() => expect(all.progress("1")?.pyramids?.of).toBe(1));
    all.stop("2");
    expect(signalled).toBe(false);
    all.stop("1");
    await expect(result).rejects.toMatchObject({ failure: "aborted" });
    expect(signalled).toBe(true);
  });

  it("ends before closing, and does not start afterwards", async () => {
    const one = making(() => new Promise(() => {}));
    const result = Promise.allSettled([one.make("1", { verb: "MakePyramid", identifier: "a" })]);
    await vi.waitFor(() => expect(one.progress("1")?.pyramids?.of).toBe(1));
    await one.close();
    expect(await result).toMatchObject([{ reason: { failure: "aborted" } }]);
    await expect(one.make("2", { verb: "MakePyramids" })).rejects.toMatchObject({
      failure: "busy",
    });
  });
});
