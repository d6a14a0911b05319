import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { LentOverview } from "../service/overview-exchange.ts";
import { OverviewClaims } from "./overview-claims.ts";

const size = { width: 10, height: 10 };
const lentBy = (worker: number): LentOverview => ({
  path: `/proc/${worker}/fd/9`,
  bytes: 3,
  final: { rows: 10, bytes: 3 },
  size,
  look: { space: "srgb", keepsProfile: false },
  raster: { size, covers: { x: 0, y: 0, ...size } },
});

describe("claims of overviews", () => {
  it("let one worker make each, which is asked for it from then on", async () => {
    const asked: [number, string, number][] = [];
    const claims = new OverviewClaims(
      async (worker, name, after) => {
        asked.push([worker, name, after]);
        return lentBy(worker);
      },
      () => {},
    );
    expect(await claims.claim(1, "a", 0)).toBeUndefined();
    expect(await claims.claim(2, "b", 0)).toBeUndefined();
    expect(await claims.claim(2, "a", 0)).toEqual(lentBy(1));
    expect(await claims.claim(1, "b", 7)).toEqual(lentBy(2));
    // The maker itself is to make it again.
    expect(await claims.claim(1, "a", 0)).toBeUndefined();
    expect(asked).toEqual([
      [1, "a", 0],
      [2, "b", 7],
    ]);
  });

  it("can be looked at without being made", async () => {
    const claims = new OverviewClaims(
      async (worker) => lentBy(worker),
      () => {},
    );
    expect(await claims.look(2, "a", 0)).toBeUndefined();
    // It was not recorded as the maker.
    expect(await claims.claim(1, "a", 0)).toBeUndefined();
    expect(await claims.look(2, "a", 0)).toEqual(lentBy(1));
    expect(await claims.look(1, "a", 0)).toBeUndefined();
  });

  it("pass from a worker that has none or cannot answer to one of those that asked", async () => {
    const failures: unknown[] = [];
    const claims = new OverviewClaims(
      async (worker) => {
        if (worker === 1) throw new Error("gone");
        return worker === 2 ? lentBy(2) : undefined;
      },
      (worker, error) => failures.push([worker, error]),
    );
    await claims.claim(1, "a", 0);
    const [second, third] = await Promise.all([claims.claim(2, "a", 0), claims.claim(3, "a", 0)]);
    expect(second).toBeUndefined();
    expect(third).toEqual(lentBy(2));
    expect(failures).toEqual([
      [1, new Error("gone")],
      [1, new Error("gone")],
    ]);
  });

  it("let a worker make its own while too many others wait", async () => {
    let answer = (_lent: undefined): void => {};
    const answered = new Promise<undefined>((resolve) => {
      answer = resolve;
    });
    const claims = new OverviewClaims(
      () => answered,
      () => {},
    );
    await claims.claim(1, "a", 0);
    const waiting = Array.from({ length: 64 }, (_, n) => claims.claim(n + 2, "a", 0));
    const last = Promise.race([claims.claim(99, "a", 0), turn("waits")]);
    expect(await last).toBeUndefined();
    answer(undefined);
    await Promise.all(waiting);
  });
});
