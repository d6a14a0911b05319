import { describe, expect, it } from "vitest";
import { Quarantined } from "../core/busy.ts";
import { DecoderLost, ServerError } from "../core/errors.ts";
import { silent } from "../core/log.ts";
import { type Note, Quarantine } from "./quarantine.ts";

const bad = { identifier: "bad", version: "1" };
const good = { identifier: "good", version: "1" };

const lost = (): DecoderLost => new DecoderLost(new ServerError("late", "It took too long."));

/** A quarantine with a clock of its own, and what it notes and says. */
const setUp = (settings: { readonly after?: number; readonly seconds?: number } = {}) => {
  const { after = 3, seconds = 60 } = settings;
  const clock = { now: 1_000 };
  const noted: Note[] = [];
  const warnings: string[] = [];
  const told: string[] = [];
  const quarantine = new Quarantine({
    settings: () => ({
      "processor.quarantine.after": after,
      "processor.quarantine.seconds": seconds,
    }),
    log: { ...silent, warn: (message) => warnings.push(message) },
    journal: {
      begin(note) {
        noted.push(note);
        return () => noted.splice(noted.indexOf(note), 1);
      },
    },
    tell: (name) => told.push(name),
    now: () => clock.now,
  });
  const fail = async (picture = bad, times = 1): Promise<void> => {
    for (let n = 0; n < times; n++)
      await expect(quarantine.watch(picture, () => Promise.reject(lost()))).rejects.toThrow(
        "too long",
      );
  };
  return { quarantine, clock, noted, warnings, told, fail };
};

/** The name under which a picture is noted. */
const nameOf = async ({ quarantine, noted }: ReturnType<typeof setUp>, picture = bad) =>
  quarantine.watch(picture, async () => noted.at(-1)?.name ?? "");

describe("a picture that brings down what reads it", () => {
  it("is refused after so many times, for so long after the last one", async () => {
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

  it("is tried again at once when its file was replaced, and others are never refused", async () => {
    const { quarantine, fail } = setUp();
    await fail(bad, 3);
    expect(() => quarantine.check({ ...bad, version: "2" })).not.toThrow();
    expect(() => quarantine.check(good)).not.toThrow();
  });

  it("is not refused for what happened long apart, nor for failures that cost nothing", async () => {
    const { quarantine, clock, fail } = setUp();
    for (let n = 0; n < 5; n++) {
      await fail();
      clock.now += 31_000;
    }
    expect(() => quarantine.check(bad)).not.toThrow();
    for (let n = 0; n < 5; n++)
      await expect(
        quarantine.watch(good, () => Promise.reject(new ServerError("unreadable", "Damaged."))),
      ).rejects.toThrow("Damaged.");
    expect(() => quarantine.check(good)).not.toThrow();
  });

  it("is never refused where that is switched off", async () => {
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

describe("a decoder that another worker lost", () => {
  it("is told of, and counts against the picture as if it had been lost here", async () => {
    const here = setUp();
    const there = setUp();
    await there.fail(bad, 2);
    for (const name of there.told) here.quarantine.mourn({ names: [name], ago: 0 });
    expect(() => here.quarantine.check(bad)).not.toThrow();
    await here.fail();
    expect(() => here.quarantine.check(bad)).toThrow(Quarantined);
    expect(() => here.quarantine.check(good)).not.toThrow();
    // What was learned from others is not told again.
    expect(here.told).toHaveLength(1);
  });
});

describe("a worker that died", () => {
  it("counts against the only picture that it read, from the time of its death on", async () => {
    const parts = setUp();
    const name = await nameOf(parts);
    for (const ago of [50_000, 40_000, 30_000]) parts.quarantine.mourn({ names: [name], ago });
    expect(() => parts.quarantine.check(bad)).toThrow(Quarantined);
    parts.clock.now += 31_000;
    expect(() => parts.quarantine.check(bad)).not.toThrow();
  });

  it("leaves only suspects where it read several, and what is read to its end is none", async () => {
    const parts = setUp();
    const names = [await nameOf(parts, bad), await nameOf(parts, good)];
    for (let n = 0; n < 3; n++) {
      parts.quarantine.mourn({ names, ago: 0 });
      await parts.quarantine.watch(good, async () => {});
    }
    expect(() => parts.quarantine.check(bad)).toThrow(Quarantined);
    expect(() => parts.quarantine.check(good)).not.toThrow();
  });

  it("finds noted just what is under way", async () => {
    const { quarantine, noted, fail } = setUp();
    await quarantine.watch(good, async () => {
      expect(noted.map(({ identifier }) => identifier)).toEqual(["good"]);
      await quarantine.watch(bad, async () => {
        expect(noted).toHaveLength(2);
      });
    });
    await fail();
    expect(noted).toEqual([]);
  });
});
