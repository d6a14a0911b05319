import { describe, expect, it } from "vitest";
import { earlyDeaths, type Restart, restartAfter } from "./restarts.ts";

/** The restarts of a worker that repeatedly lives as long as told. */
const lives = (each: readonly number[], othersServe: boolean): readonly Restart[] => {
  let early = 0;
  return each.map((lived) => {
    early = earlyDeaths(early, lived);
    return restartAfter(early, { othersServe });
  });
};

describe("restarting workers", () => {
  it("is immediate after a long life, and after a first early death", () => {
    expect(lives([3_600_000, 100, 3_600_000], false)).toEqual(
      [0, 0, 0].map((afterMs) => ({ afterMs })),
    );
  });

  it("is delayed more with each early death, and ends if no worker serves", () => {
    expect(lives([1, 1, 1, 1, 1, 1], false)).toEqual([
      { afterMs: 0 },
      { afterMs: 250 },
      { afterMs: 500 },
      { afterMs: 1_000 },
      { afterMs: 2_000 },
      "give up",
    ]);
  });

  it("continues slowly as long as others serve", () => {
    const last = lives(new Array<number>(40).fill(1), true).at(-1);
    expect(last).toEqual({ afterMs: 30_000 });
  });
});
