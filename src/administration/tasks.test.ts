import { describe, expect, it, vi } from "vitest";
import { fail } from "../core/errors.ts";
import { silent } from "../core/log.ts";
import { Tasks, type TasksParts } from "./tasks.ts";

const make = (work: TasksParts["work"], max = 100) =>
  new Tasks({ work, max: () => max, log: silent });

const over = (tasks: Tasks, uuid: string) =>
  vi.waitFor(() => {
    const task = tasks.get(uuid);
    if (task?.stoppedAt === undefined) throw new Error(`It is ${task?.status} yet`);
    return task;
  });

describe("tasks", () => {
  it("are queued, run in turn and are remembered", async () => {
    const seen: string[] = [];
    const tasks = make(async ({ verb }, tell) => {
      seen.push(verb);
      tell({ progress: 0.5, removed: { entries: 7 } });
    });
    const first = tasks.begin({ verb: "PurgeCache" });
    const second = tasks.begin({ verb: "PurgeItemFromCache", identifier: "a/b" });
    expect(first).toMatchObject({ status: "QUEUED", progress: 0 });
    expect(first.startedAt).toBeUndefined();
    expect(await over(tasks, second.uuid)).toMatchObject({
      status: "SUCCEEDED",
      verb: "PurgeItemFromCache",
      identifier: "a/b",
      progress: 1,
      removed: { entries: 7 },
    });
    expect(seen).toEqual(["PurgeCache", "PurgeItemFromCache"]);
    expect(tasks.list().map(({ uuid }) => uuid)).toEqual([second.uuid, first.uuid]);
    expect(tasks.get("00000000-0000-4000-8000-000000000000")).toBeUndefined();
  });

  it("report why they failed, without anything that only the log may contain", async () => {
    const tasks = make(async ({ identifier }) => {
      if (identifier === "known") fail("upstream", "The cache did not answer.");
      throw new Error("connect ECONNREFUSED /secret/path");
    });
    const known = tasks.begin({ verb: "PurgeItemFromCache", identifier: "known" });
    const other = tasks.begin({ verb: "PurgeCache" });
    expect(await over(tasks, known.uuid)).toMatchObject({
      status: "FAILED",
      exception: { failure: "upstream", message: "The cache did not answer." },
    });
    expect((await over(tasks, other.uuid)).exception?.message).not.toContain("secret");
  });

  it("are limited in number, both queued and remembered ones", async () => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const tasks = make(() => gate, 10);
    tasks.begin({ verb: "PurgeCache" });
    await undefined;
    for (let n = 0; n < 99; n++) tasks.begin({ verb: "PurgeCache" });
    const last = await vi.waitFor(() => tasks.begin({ verb: "PurgeCache" }));
    expect(() => tasks.begin({ verb: "PurgeCache" })).toThrow("queue is full");
    release();
    await over(tasks, last.uuid);
    tasks.begin({ verb: "PurgeCache" });
    expect(tasks.list()).toHaveLength(10);
  });

  it("end with the server, whether they heed the signal or not", async () => {
    const tasks = make(() => new Promise(() => {}));
    const running = tasks.begin({ verb: "PurgeCache" });
    await vi.waitFor(() => expect(tasks.get(running.uuid)?.status).toBe("RUNNING"));
    await tasks.close();
    expect(tasks.get(running.uuid)?.status).toBe("FAILED");
    expect(() => tasks.begin({ verb: "PurgeCache" })).toThrow("stopped");
  });
});
