import { describe, expect, it } from "vitest";
import { random } from "../../test/random.ts";
import { Ages } from "./ages.ts";

const now = new Date("2026-01-01T00:00:00Z");
const ago = (seconds: number): Date => new Date(now.getTime() - seconds * 1_000);

interface Kept {
  readonly usedAt: Date;
  readonly bytes: number;
}

const agesOf = (entries: readonly Kept[]): Ages => {
  const ages = new Ages(now);
  for (const { usedAt, bytes } of entries) ages.note(usedAt, bytes);
  return ages;
};

describe("ages", () => {
  it("remove nothing within the bounds, or where there are none", () => {
    const ages = agesOf([
      { usedAt: ago(5), bytes: 60 },
      { usedAt: ago(9), bytes: 40 },
    ]);
    expect(ages.beyond({ bytes: 100, entries: 2 })).toBeUndefined();
    expect(ages.beyond({ bytes: 0, entries: 0 })).toBeUndefined();
  });

  it("select the oldest, and of one age only as many as necessary", () => {
    const entries = [...Array(10).keys()].map((n) => ({
      usedAt: ago(n < 5 ? 100 : 10),
      bytes: 10,
    }));
    const picks = agesOf(entries).beyond({ bytes: 75, entries: 0 });
    const gone = entries.filter(({ usedAt, bytes }) => picks?.(usedAt, bytes));
    expect(gone.map(({ usedAt }) => usedAt)).toEqual([ago(100), ago(100), ago(100)]);
  });

  it("meet both bounds at once", () => {
    const entries = [...Array(100).keys()].map((n) => ({ usedAt: ago(n), bytes: 10 }));
    const picks = agesOf(entries).beyond({ bytes: 900, entries: 40 });
    const kept = entries.filter(({ usedAt, bytes }) => !picks?.(usedAt, bytes));
    expect(kept.length).toBe(40);
    expect(kept.at(-1)?.usedAt).toEqual(ago(39));
  });

  it("work from seconds to decades, and for future times", () => {
    const dice = random(1);
    const entries = [...Array(5_000).keys()].map((n) => ({
      usedAt: ago(n % 50 === 0 ? -30 : dice.whole(0, 10 ** dice.whole(1, 9))),
      bytes: dice.whole(1, 50_000),
    }));
    const total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
    const bound = Math.floor(total / 3);
    const picks = agesOf(entries).beyond({ bytes: bound, entries: 0 });
    const kept = entries.filter(({ usedAt, bytes }) => !picks?.(usedAt, bytes));
    const gone = entries.filter((entry) => !kept.includes(entry));
    const held = kept.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(held).toBeLessThanOrEqual(bound);
    expect(held).toBeGreaterThan(bound - 50_000);
    const oldestKept = Math.min(...kept.map(({ usedAt }) => usedAt.getTime()));
    const newestGone = Math.max(...gone.map(({ usedAt }) => usedAt.getTime()));
    // Resolved to one part in 32,768 of the oldest, thirty years here.
    expect(newestGone - oldestKept).toBeLessThan(10 ** 12 / 32_768 + 1);
  });
});
