import { describe, expect, it, vi } from "vitest";
import { fail } from "../core/errors.ts";
import type { Member } from "./member.ts";
import { ownPurging } from "./own-purging.ts";
import { purgeEverywhere } from "./purges.ts";
import type { TaskRequest } from "./task.ts";

const make = (isShared: boolean) => {
  const purging = {
    image: vi.fn(async (_?: string, _signal?: AbortSignal) => 3),
    infos: vi.fn(async () => 4),
    invalid: vi.fn(async () => ({ entries: 5, bytes: 0 })),
    all: vi.fn(async () => 6),
    remove: vi.fn(async () => ({ entries: 7, copies: 0 })),
    follow: vi.fn(async () => {}),
  };
  const forgetInfos = vi.fn();
  const sweepCopies = vi.fn(async () => 2);
  return {
    purging,
    forgetInfos,
    sweepCopies,
    ...ownPurging({ purging, isShared, forgetInfos, sweepCopies }),
  };
};

const item: TaskRequest = { verb: "PurgeItemFromCache", identifier: "a" };

describe("purging", () => {
  it("clears what all share once, and makes others clear their memory", async () => {
    const { purge, purging } = make(true);
    expect(await purge(item, "everywhere")).toEqual({ entries: 3 });
    expect(purging.follow).not.toHaveBeenCalled();
    expect(await purge(item, "own")).toEqual({ entries: 0 });
    expect(purging.image).toHaveBeenCalledOnce();
    expect(purging.follow).toHaveBeenCalledWith([{ image: "a" }], expect.anything());
  });

  it("clears each memory where there is nothing else", async () => {
    const { purge, purging } = make(false);
    expect(await purge(item, "own")).toEqual({ entries: 7 });
    expect(purging.remove).toHaveBeenCalledWith({ image: "a" }, expect.anything());
    expect(await purge({ verb: "PurgeInvalidFromCache" }, "own")).toEqual({ entries: 5 });
  });

  it("removes expired entries once, including copies of source files", async () => {
    const { purge, sweepCopies } = make(true);
    expect(await purge({ verb: "PurgeInvalidFromCache" }, "everywhere")).toEqual({ entries: 7 });
    expect(await purge({ verb: "PurgeInvalidFromCache" }, "own")).toEqual({ entries: 0 });
    expect(sweepCopies).toHaveBeenCalledOnce();
  });

  it("clears infos where only they are purged, or everything is", async () => {
    const { purge, forgetInfos, purging } = make(true);
    await purge({ verb: "PurgeInfoCache" }, "everywhere");
    expect(purging.infos).not.toHaveBeenCalled();
    await purge({ verb: "PurgeCache" }, "own");
    expect(forgetInfos).toHaveBeenCalledTimes(2);
    await purge({ verb: "PurgeInfosFromCache" }, "everywhere");
    expect(purging.infos).toHaveBeenCalledOnce();
    await expect(purge({ verb: "PurgeItemFromCache" }, "own")).rejects.toThrow("identifier");
  });

  it("ends before it is closed, and does not start after", async () => {
    const { purge, purging, close } = make(true);
    let hasEnded = false;
    purging.image.mockImplementation(async (_?: string, signal?: AbortSignal) => {
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
      await new Promise((resolve) => setImmediate(resolve));
      hasEnded = true;
      signal?.throwIfAborted();
      return 0;
    });
    const outcome = Promise.allSettled([purge(item, "everywhere")]);
    await close();
    expect(hasEnded).toBe(true);
    expect(await outcome).toMatchObject([{ reason: { failure: "aborted" } }]);
    await expect(purge(item, "own")).rejects.toMatchObject({ failure: "aborted" });
  });

  it("goes through all processes, and fails where one does", async () => {
    const member = (purge: Member["purge"]) => ({ purge }) as Partial<Member> as Member;
    const told: number[] = [];
    const places: string[] = [];
    const good = member(async (_, where) => {
      places.push(where);
      return { entries: 2 };
    });
    await purgeEverywhere([good, good, good], item, ({ progress }) => told.push(progress));
    expect(places).toEqual(["everywhere", "own", "own"]);
    expect(told).toEqual([1 / 3, 2 / 3, 1]);
    const bad = member(async () => fail("aborted", "It ended."));
    await expect(purgeEverywhere([good, bad], item, () => {})).rejects.toThrow("It ended.");
    await expect(purgeEverywhere([], item, () => {})).rejects.toThrow("No process");
  });
});
