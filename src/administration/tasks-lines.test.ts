import { describe, expect, it, vi } from "vitest";
import { silent } from "../core/log.ts";
import type { TaskRequest } from "./task.ts";
import { Tasks } from "./tasks.ts";

/** Tasks that run until they are let go by their verb, or aborted. */
const held = () => {
  const running = new Map<string, () => void>();
  const aborted: string[] = [];
  const tasks = new Tasks({
    work: ({ verb, identifier }, _tell, signal) =>
      new Promise((resolve, reject) => {
        const name = [verb, identifier].filter(Boolean).join(" ");
        running.set(name, resolve);
        signal.addEventListener("abort", () => {
          aborted.push(name);
          reject(signal.reason);
        });
      }),
    max: () => 1_000,
    log: silent,
  });
  const begun = async (request: TaskRequest): Promise<string> => {
    const { uuid } = tasks.begin(request);
    await vi.waitFor(() => expect(tasks.get(uuid)?.status).toBe("RUNNING"));
    return uuid;
  };
  return { tasks, running, aborted, begun };
};

describe("tasks", () => {
  it("that purge do not wait for those that make pyramids, nor one image for all", async () => {
    const { tasks, running, begun } = held();
    await begun({ verb: "MakePyramids" });
    await begun({ verb: "MakePyramid", identifier: "a" });
    await begun({ verb: "PurgePyramids" });
    const second = tasks.begin({ verb: "MakePyramid", identifier: "b" });
    await Promise.resolve();
    expect([...running.keys()]).toEqual(["MakePyramids", "MakePyramid a", "PurgePyramids"]);
    expect(tasks.get(second.uuid)?.status).toBe("QUEUED");
    running.get("MakePyramid a")?.();
    await vi.waitFor(() => expect(tasks.get(second.uuid)?.status).toBe("RUNNING"));
    await tasks.close();
  });

  it("are limited in number in each queue", async () => {
    const { tasks, begun } = held();
    await begun({ verb: "MakePyramids" });
    for (let n = 0; n < 100; n++) tasks.begin({ verb: "MakePyramids" });
    expect(() => tasks.begin({ verb: "MakePyramids" })).toThrow("queue is full");
    expect(tasks.begin({ verb: "PurgeCache" }).status).toBe("QUEUED");
    await tasks.close();
  });

  it("that make pyramids are aborted when they are cancelled, and the next begins", async () => {
    const { tasks, aborted, begun } = held();
    const first = await begun({ verb: "MakePyramids" });
    const second = tasks.begin({ verb: "MakePyramids" }).uuid;
    expect(tasks.cancel(first)).toMatchObject({
      status: "FAILED",
      cancelled: true,
      exception: { failure: "aborted", message: "It was cancelled." },
    });
    expect(aborted).toEqual(["MakePyramids"]);
    await vi.waitFor(() => expect(tasks.get(second)?.status).toBe("RUNNING"));
    await tasks.close();
  });

  it("that are waiting can be cancelled, and never start", async () => {
    const { tasks, running, begun } = held();
    const first = await begun({ verb: "PurgeCache" });
    const second = tasks.begin({ verb: "PurgeItemFromCache", identifier: "a" }).uuid;
    expect(tasks.cancel(second)).toMatchObject({ status: "FAILED", cancelled: true });
    running.get("PurgeCache")?.();
    await vi.waitFor(() => expect(tasks.get(first)?.status).toBe("SUCCEEDED"));
    await Promise.resolve();
    expect([...running.keys()]).toEqual(["PurgeCache"]);
    expect(tasks.get(second)?.startedAt).toBeUndefined();
  });

  it("that purge cannot be cancelled while running; ended tasks do not change", async () => {
    const { tasks, running, begun } = held();
    const uuid = await begun({ verb: "PurgeCache" });
    expect(() => tasks.cancel(uuid)).toThrow("cannot be cancelled");
    running.get("PurgeCache")?.();
    await vi.waitFor(() => expect(tasks.get(uuid)?.status).toBe("SUCCEEDED"));
    expect(tasks.cancel(uuid)?.status).toBe("SUCCEEDED");
    expect(tasks.cancel("00000000-0000-4000-8000-000000000000")).toBeUndefined();
  });
});
