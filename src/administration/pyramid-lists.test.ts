import { describe, expect, it, vi } from "vitest";
import type { PyramidPage, PyramidRecord, PyramidsListed } from "../service/pyramids.ts";
import { listEverywhere } from "./pyramid-lists.ts";

const record = (identifier: string, state: PyramidRecord["state"]): PyramidRecord => ({
  identifier,
  page: 1,
  state,
});

const stored = [record("a", "ready"), record("b", "refused"), record("c", "ready")];

/** A process that makes some pyramids, and sees the folder that all share. */
const member = (...own: readonly PyramidRecord[]) => ({
  pyramids: vi.fn(async ({ after, max, state }: PyramidPage): Promise<PyramidsListed> => {
    const all = [...(after === undefined ? own : []), ...stored.slice(Number(after ?? 0))].filter(
      (one) => state === undefined || one.state === state,
    );
    const records = all.slice(0, max);
    const read = records.filter((one) => stored.includes(one)).length + Number(after ?? 0);
    return { records, ...(all.length > max ? { next: String(read) } : {}) };
  }),
});

const names = ({ records }: PyramidsListed) =>
  records.map(({ identifier, state }) => `${identifier} ${state}`);

describe("listing the pyramids of all processes", () => {
  it("begins with those being made, then those waiting, in whichever process", async () => {
    const members = [
      member(record("d", "waiting")),
      member(record("e", "waiting"), record("f", "making")),
    ];
    expect(names(await listEverywhere(members, { max: 100 }))).toEqual([
      ...["f making", "d waiting", "e waiting"],
      ...["a ready", "b refused", "c ready"],
    ]);
  });

  it("has no more than requested on a page, and each once over all pages", async () => {
    const members = [member(record("d", "waiting")), member(record("f", "making"))];
    const all: string[] = [];
    let after: string | undefined;
    do {
      const page: PyramidsListed = await listEverywhere(members, {
        max: 3,
        ...(after === undefined ? {} : { after }),
      });
      expect(page.records.length).toBeLessThanOrEqual(3);
      all.push(...names(page));
      after = page.next;
    } while (after !== undefined);
    expect(all.sort()).toEqual(["a ready", "b refused", "c ready", "d waiting", "f making"]);
  });

  it("has a page that waits in several processes once, and not as refused before", async () => {
    const members = [member(record("b", "waiting")), member(record("b", "making"))];
    expect(names(await listEverywhere(members, { max: 100 }))).toEqual([
      ...["b making", "a ready", "c ready"],
    ]);
  });

  it("asks one process alone for what is in the folder", async () => {
    const [first, second] = [member(), member()];
    await listEverywhere([first, second], { max: 100, state: "ready" });
    await listEverywhere([first, second], { max: 100, after: "1" });
    expect(first.pyramids).toHaveBeenCalledTimes(2);
    expect(second.pyramids).not.toHaveBeenCalled();
  });

  it("does without processes that do not answer, but not without any", async () => {
    const broken = { pyramids: async () => Promise.reject(new Error("late")) };
    const page = await listEverywhere([member(), broken], { max: 100, state: "waiting" });
    expect(page).toEqual({ records: [] });
    await expect(listEverywhere([], { max: 100 })).rejects.toThrow("No process");
    await expect(listEverywhere([broken], { max: 100 })).rejects.toThrow("late");
  });
});
