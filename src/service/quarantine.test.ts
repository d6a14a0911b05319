import { describe, expect, it } from "vitest";
import { Quarantined } from "../core/busy.ts";
import { DecoderLost, ServerError } from "../core/errors.ts";
import { silent } from "../core/log.ts";
import { type ImageKnowledge, type Note, Quarantine, type StoredPicture } from "./quarantine.ts";

const bad = { identifier: "bad", version: "1" };
const good = { identifier: "good", version: "1" };

const lost = (): DecoderLost => new DecoderLost(new ServerError("late", "It took too long."));

/** A quarantine with a clock of its own, and what it records and reports. */
const setUp = (
  settings: { readonly after?: number; readonly seconds?: number; readonly holdMs?: number } = {},
) => {
  const { after = 3, seconds = 60, holdMs = 10_000 } = settings;
  const clock = { now: 1_000 };
  const noted: Note[] = [];
  const warnings: string[] = [];
  const told: ImageKnowledge[] = [];
  const glances: Note[] = [];
  const alone: Note[] = [];
  const quarantine = new Quarantine({
    settings: () => ({
      "processor.quarantine.after": after,
      "processor.quarantine.seconds": seconds,
    }),
    log: { ...silent, warn: (message) => warnings.push(message) },
    journal: {
      begin(note, how) {
        noted.push(note);
        if (how?.alone) alone.push(note);
        return () => noted.splice(noted.indexOf(note), 1);
      },
      glance: (note) => glances.push(note),
    },
    tell: (news) => told.push(news),
    now: () => clock.now,
    holdMs,
  });
  const read = <T>(picture: StoredPicture, work: () => Promise<T>): Promise<T> =>
    quarantine.watch(picture, new AbortController().signal, work);
  const fail = async (picture = bad, times = 1): Promise<void> => {
    for (let n = 0; n < times; n++)
      await expect(read(picture, () => Promise.reject(lost()))).rejects.toThrow("too long");
  };
  return { quarantine, clock, noted, glances, alone, warnings, told, read, fail };
};

/** The name under which an image is recorded. */
const resolveName = async ({ read, noted }: ReturnType<typeof setUp>, picture = bad) =>
  read(picture, async () => noted.at(-1)?.name ?? "");

/** Work that ends when told to. */
const held = () => {
  let end = (): void => {};
  const until = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { until, end };
};

/** Lets pending promises settle. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("an image that crashes its decoder", () => {
  it("is quarantined after repeated crashes, for a time after the last one", async () => {
    const { quarantine, clock, fail, warnings } = setUp();
    await fail(bad, 2);
    expect(() => quarantine.check(bad)).not.toThrow();
    clock.now += 10_000;
    await fail();
    expect(() => quarantine.check(bad)).toThrow(Quarantined);
    expect(warnings).toHaveLength(1);
    clock.now += 59_000;
    try {
      quarantine.check(bad);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ failure: "busy", retryAfter: 1 });
    }
    clock.now += 2_000;
    expect(() => quarantine.check(bad)).not.toThrow();
  });

  it("is tried again at once when its file was replaced, and others are never quarantined", async () => {
    const { quarantine, fail } = setUp();
    await fail(bad, 3);
    expect(() => quarantine.check({ ...bad, version: "2" })).not.toThrow();
    expect(() => quarantine.check(good)).not.toThrow();
  });

  it("is not quarantined for crashes long apart, nor for harmless failures", async () => {
    const { quarantine, clock, read, fail } = setUp();
    for (let n = 0; n < 5; n++) {
      await fail();
      clock.now += 31_000;
    }
    expect(() => quarantine.check(bad)).not.toThrow();
    for (let n = 0; n < 5; n++)
      await expect(
        read(good, () => Promise.reject(new ServerError("unreadable", "Damaged."))),
      ).rejects.toThrow("Damaged.");
    expect(() => quarantine.check(good)).not.toThrow();
  });

  it("is never quarantined where that is disabled", async () => {
    const { quarantine, fail } = setUp({ after: 0 });
    await fail(bad, 20);
    expect(() => quarantine.check(bad)).not.toThrow();
  });

  it("is one of at most a thousand that are remembered", async () => {
    const { quarantine, fail } = setUp({ after: 1 });
    await fail();
    for (let n = 0; n < 1_000; n++) await fail({ identifier: `other ${n}`, version: "1" });
    expect(() => quarantine.check(bad)).not.toThrow();
    expect(() => quarantine.check({ identifier: "other 999", version: "1" })).toThrow(Quarantined);
  });
});

describe("a decoder crash in another worker", () => {
  it("counts against the image as if it had happened here", async () => {
    const here = setUp();
    const there = setUp();
    await there.fail(bad, 2);
    for (const { name } of there.told)
      here.quarantine.recordCrash({ names: [name], ago: 0, isProof: true });
    expect(() => here.quarantine.check(bad)).not.toThrow();
    await here.fail();
    expect(() => here.quarantine.check(bad)).toThrow(Quarantined);
    expect(() => here.quarantine.check(good)).not.toThrow();
    // Facts learned from others are not announced again.
    expect(here.told).toHaveLength(1);
  });
});

describe("a worker that died", () => {
  it("counts against the only image that it was reading, from the time of its death", async () => {
    const parts = setUp();
    const name = await resolveName(parts);
    for (const ago of [50_000, 40_000, 30_000])
      parts.quarantine.recordCrash({ names: [name], ago, isProof: true });
    expect(() => parts.quarantine.check(bad)).toThrow(Quarantined);
    parts.clock.now += 31_000;
    expect(() => parts.quarantine.check(bad)).not.toThrow();
  });

  it("never quarantines an image that was only read beside others", async () => {
    const parts = setUp();
    const names = [await resolveName(parts, bad), await resolveName(parts, good)];
    for (let n = 0; n < 20; n++) parts.quarantine.recordCrash({ names, ago: 0, isProof: false });
    for (const picture of [bad, good]) {
      expect(() => parts.quarantine.check(picture)).not.toThrow();
      expect(await parts.read(picture, async () => "read")).toBe("read");
    }
  });

  it("quarantines suspects once one of many deaths proves it", async () => {
    const parts = setUp();
    const names = [await resolveName(parts, bad), await resolveName(parts, good)];
    for (let n = 0; n < 3; n++) parts.quarantine.recordCrash({ names, ago: 0, isProof: false });
    parts.quarantine.recordCrash({ names: names.slice(0, 1), ago: 0, isProof: true });
    expect(() => parts.quarantine.check(bad)).toThrow(Quarantined);
    await expect(parts.read(bad, async () => {})).rejects.toThrow(Quarantined);
    expect(() => parts.quarantine.check(good)).not.toThrow();
  });

  it("leaves suspects that each successful read clears of one death, and informs others", async () => {
    const parts = setUp();
    const name = await resolveName(parts, good);
    for (let n = 0; n < 2; n++)
      parts.quarantine.recordCrash({ names: [name], ago: 0, isProof: false });
    for (let n = 0; n < 3; n++) await parts.read(good, async () => {});
    expect(parts.told).toEqual([
      { kind: "cleared", name },
      { kind: "cleared", name },
    ]);
    parts.quarantine.recordCrash({ names: [name], ago: 0, isProof: false });
    await parts.read(good, async () => {});
    expect(parts.alone).toEqual([]);
  });

  it("finds exactly the images in progress recorded", async () => {
    const { noted, read, fail } = setUp();
    await read(good, async () => {
      expect(noted.map(({ identifier }) => identifier)).toEqual(["good"]);
      await read(bad, async () => {
        expect(noted).toHaveLength(2);
      });
    });
    await fail();
    expect(noted).toEqual([]);
  });
});

describe("a suspect of several deaths", () => {
  const suspect = async (holdMs = 10_000) => {
    const parts = setUp({ holdMs });
    const name = await resolveName(parts, bad);
    for (let n = 0; n < 3; n++)
      parts.quarantine.recordCrash({ names: [name], ago: 0, isProof: false });
    return { ...parts, name };
  };

  it("is read alone: running reads end first, and others wait", async () => {
    const { read, noted, alone, told, name } = await suspect();
    const log: string[] = [];
    const [before, trial] = [held(), held()];
    const first = read(good, () => before.until);
    const tried = read(bad, async () => {
      log.push(`tried beside ${noted.length - 1}`);
      await trial.until;
    });
    const other = read(good, async () => {
      log.push("other");
    });
    await settle();
    expect(log).toEqual([]);
    before.end();
    await settle();
    expect(log).toEqual(["tried beside 0"]);
    trial.end();
    await Promise.all([first, tried, other]);
    expect(log).toEqual(["tried beside 0", "other"]);
    expect(alone.map(({ identifier }) => identifier)).toEqual(["bad"]);
    expect(told).toEqual([{ kind: "cleared-of-all", name }]);
    await read(bad, async () => {});
    expect(alone).toHaveLength(1);
  });

  it("is not read alone again by requests that waited for it", async () => {
    const { read, alone } = await suspect();
    await Promise.all(Array.from({ length: 24 }, () => read(bad, settle)));
    expect(alone).toHaveLength(1);
  });

  it("delays others for a limited time only", async () => {
    const { read } = await suspect(20);
    const trial = held();
    const tried = read(bad, () => trial.until);
    expect(await read(good, async () => "read")).toBe("read");
    trial.end();
    await tried;
  });

  it("is postponed if the current reads take too long", async () => {
    const { read } = await suspect(20);
    const before = held();
    const first = read(good, () => before.until);
    await expect(read(bad, async () => {})).rejects.toMatchObject({ failure: "busy" });
    before.end();
    await first;
    expect(await read(bad, async () => "read")).toBe("read");
  });

  it("is abandoned if its client disconnects, and others continue", async () => {
    const { quarantine, read } = await suspect();
    const [before, leaving] = [held(), new AbortController()];
    const first = read(good, () => before.until);
    const tried = quarantine.watch(bad, leaving.signal, async () => {});
    await settle();
    leaving.abort(new Error("left"));
    await expect(tried).rejects.toThrow("left");
    expect(await read(good, async () => "read")).toBe("read");
    before.end();
    await first;
  });
});

describe("rendering on the event loop", () => {
  it("is recorded as if a thread were reading", async () => {
    const parts = setUp();
    const state = { version: "1" };
    expect(parts.quarantine.glance("bad", state)).toBe(true);
    expect(parts.glances).toEqual([{ name: await resolveName(parts, bad), identifier: "bad" }]);
    parts.quarantine.glance("bad", state);
    // The same object shows the journal that there is nothing to write.
    expect(parts.glances[1]).toBe(parts.glances[0]);
  });

  it("is left to threads if the image has caused a crash, and only then", async () => {
    const { quarantine, glances, fail } = setUp();
    await fail(bad);
    expect(quarantine.glance("bad", { version: "1" })).toBe(false);
    expect(quarantine.glance("bad", { version: "2" })).toBe(true);
    expect(quarantine.glance("good", { version: "1" })).toBe(true);
    expect(glances).toHaveLength(2);
  });

  it("is left to threads while a suspect is read alone", async () => {
    const parts = setUp();
    const name = await resolveName(parts, bad);
    for (let n = 0; n < 3; n++)
      parts.quarantine.recordCrash({ names: [name], ago: 0, isProof: false });
    const trial = held();
    const tried = parts.read(bad, () => trial.until);
    expect(parts.quarantine.glance("good", good)).toBe(false);
    trial.end();
    await tried;
    expect(parts.quarantine.glance("good", good)).toBe(true);
  });
});
