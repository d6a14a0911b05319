import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fakeStore } from "../../test/fake-store.ts";
import { silent } from "../core/log.ts";
import { imageHash } from "../core/plan.ts";
import { derivativeName, infoName } from "./names.ts";
import { type Purge, type PurgeScope, purgedBy, readPurges, writePurges } from "./purge-record.ts";
import { openPurges, type Purges, type PurgesParts } from "./purges.ts";
import type { Notes } from "./store.ts";

const signal = new AbortController().signal;
const picture = (identifier: string): string =>
  derivativeName(`${imageHash(identifier)}/${"7".repeat(32)}`);
const minutes = 60_000;

const open = async (notes: Notes, given: Partial<PurgesParts> = {}): Promise<Purges> => {
  const purges = await openPurges({ notes, log: silent, lookMs: 0, readMs: 1_000, ...given });
  onTestFinished(() => purges.close());
  return purges;
};

/** Notes of its own, and a clock that the test moves. */
const place = () => {
  let now = 1_000_000_000;
  const clock = {
    now: () => now,
    pass(ms: number) {
      now += ms;
    },
  };
  return { clock, notes: fakeStore(() => new Date(now)).notes };
};

/** One that polls all the time, and the purges it announced. */
const follower = async (notes: Notes, given: Partial<PurgesParts> = {}) => {
  const told: PurgeScope[] = [];
  const purges = await open(notes, { lookMs: 1, ...given });
  purges.onPurge((scopes) => told.push(...scopes));
  return { purges, told };
};

describe("purges of a store that others share", () => {
  it("are announced to those who poll, when they begin and again when they are done", async () => {
    const { notes } = place();
    const { told } = await follower(notes);
    const purges = await open(notes);
    const begun = await purges.begin([{ image: "a" }, "infos"], signal);
    await vi.waitFor(() => expect(told).toEqual([{ image: "a" }, "infos"]));
    await purges.finish(begun, signal);
    await vi.waitFor(() =>
      expect(told).toEqual([{ image: "a" }, "infos", { image: "a" }, "infos"]),
    );
  });

  it("that were announced before are no news, but stay in effect", async () => {
    const { clock, notes } = place();
    await (await open(notes, clock)).begin(["images"], signal);
    const { purges, told } = await follower(notes, clock);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(told).toEqual([]);
    expect(purges.isGone(picture("a"), new Date(clock.now()))).toBe(true);
    expect(purges.isGone(infoName("a"), new Date(clock.now()))).toBe(false);
  });

  it("cover what was stored before, and for a moment after, and nothing else", () => {
    const purges: readonly Purge[] = [
      { id: "1", scope: { image: "a" }, at: 50_000 },
      { id: "2", scope: { image: "a" }, at: 20_000 },
    ];
    const isGone = purgedBy(purges);
    for (const name of [picture("a"), infoName("a")]) {
      expect(isGone(name, new Date(49_000))).toBe(true);
      expect(isGone(name, new Date(51_000))).toBe(true);
      expect(isGone(name, new Date(60_000))).toBe(false);
    }
    for (const name of [picture("b"), infoName("b")])
      expect(isGone(name, new Date(49_000))).toBe(false);
    const all = purgedBy([{ id: "3", scope: "all", at: 50_000 }]);
    for (const name of [picture("b"), infoName("b")]) expect(all(name, new Date(1))).toBe(true);
    expect(purgedBy([{ id: "4", scope: "memory", at: 50_000 }])(picture("a"), new Date(1))).toBe(
      false,
    );
  });

  it("at the same time are all announced", async () => {
    const { notes } = place();
    // One at a time, as services answer: what was read may be outdated when it arrives.
    const slow: Notes = {
      async read(signal) {
        const bytes = await notes.read(signal);
        await new Promise((resolve) => setTimeout(resolve, 5));
        return bytes;
      },
      write: notes.write,
    };
    const tellers = await Promise.all(Array.from({ length: 4 }, () => open(slow)));
    await Promise.all(tellers.map((purges, n) => purges.tell([{ image: `${n}` }], signal)));
    const told = readPurges((await notes.read(signal)) ?? new Uint8Array()) ?? [];
    expect(told.map(({ scope }) => scope)).toHaveLength(4);
  });

  it("are announced for ten minutes, and a server that did not poll for longer clears all memory", async () => {
    const { clock, notes } = place();
    let isAway = false;
    const { told } = await follower(
      {
        ...notes,
        read: (signal) => (isAway ? Promise.reject(new Error("away")) : notes.read(signal)),
      },
      clock,
    );
    isAway = true;
    const purges = await open(notes, clock);
    await purges.tell([{ image: "a" }], signal);
    clock.pass(11 * minutes);
    await purges.tell([{ image: "b" }], signal);
    const left = readPurges((await notes.read(signal)) ?? new Uint8Array()) ?? [];
    expect(left.map(({ scope }) => scope)).toEqual([{ image: "b" }]);
    isAway = false;
    await vi.waitFor(() => expect(told).toEqual(["memory", { image: "b" }]));
  });

  it("of more images than are listed clear all memory", async () => {
    const { notes } = place();
    const purges = await open(notes);
    const scopes = Array.from({ length: 1_500 }, (_, n) => ({ image: `${n}` }));
    await purges.tell(scopes, signal);
    const told = readPurges((await notes.read(signal)) ?? new Uint8Array()) ?? [];
    expect(told).toHaveLength(1_000);
    expect(told[0]?.scope).toBe("memory");
    expect(told.at(-1)?.scope).toEqual({ image: "1499" });
  });

  it("of dead processes are finished once those must be dead", async () => {
    const { clock, notes } = place();
    await (await open(notes, clock)).begin([{ image: "a" }], signal);
    const later = await open(notes, clock);
    const removed: string[] = [];
    const remove = async (prefix: string) => removed.push(prefix);
    await later.complete(remove, signal);
    expect(removed).toEqual([]);
    clock.pass(11 * minutes);
    await later.complete(remove, signal);
    expect(removed).toEqual([`image/${imageHash("a")}/`, infoName("a")]);
    await later.complete(remove, signal);
    expect(removed).toHaveLength(2);
  });

  it.each([
    ["nothing of sense", "{"],
    ["another layout", `{"schema":99,"purges":[]}`],
    ["a purge of nothing", `{"schema":1,"purges":[{"id":"1","scope":null,"at":1}]}`],
  ])("written as %s clear all memory, and nothing else", async (_, text) => {
    const { notes } = place();
    const { purges, told } = await follower(notes);
    await notes.write(new TextEncoder().encode(text), signal);
    await vi.waitFor(() => expect(told).toEqual(["memory"]));
    expect(purges.isGone(picture("a"), new Date(0))).toBe(false);
    await purges.tell(["infos"], signal);
    await vi.waitFor(() => expect(told).toEqual(["memory", "infos"]));
  });

  it("that cannot be read are warned about once, until they can", async () => {
    const warn = vi.fn();
    let looks = 0;
    const read = async (): Promise<undefined> => {
      if (++looks !== 5) throw new Error("away");
    };
    const write = async (): Promise<void> => {};
    await open({ read, write }, { lookMs: 1, log: { ...silent, warn } });
    await vi.waitFor(() => expect(looks).toBeGreaterThan(8));
    expect(warn).toHaveBeenCalledTimes(2);
  });
});

it("purges are read as they were written", () => {
  const purges: readonly Purge[] = [
    { id: "1", scope: { image: 'ä\u0000"' }, at: 1 },
    { id: "2", scope: "all", at: 2, doneAt: 3 },
  ];
  expect(readPurges(writePurges(purges))).toEqual(purges);
});
