import { existsSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { silent } from "../core/log.ts";
import type { Overview } from "../render/overview.ts";
import { type ExchangeOptions, type LentOverview, OverviewExchange } from "./overview-exchange.ts";
import { completeOverview } from "./overview-in-making.ts";

const size = { width: 10, height: 10 };
const overview = (bytes: number): Overview => ({
  pixels: new Uint8Array(bytes).map((_, at) => at % 251),
  size,
  look: { space: "srgb", keepsProfile: false },
  raster: { size, covers: { x: 0, y: 0, ...size } },
});
const { signal } = new AbortController();
/** An overview that is complete at once does not grow. */
const never = (): void => expect.unreachable("It grew.");
const fileOf = (path: string, bytes: number) => ({
  ...{ path, bytes: 300 },
  final: { rows: 10, bytes },
});

/** Without other processes. */
const alone: ExchangeOptions = {
  claim: async () => undefined,
  look: async () => undefined,
  log: silent,
};

/** The exchange of a process with one overview, and one of a process that has none. */
const exchanges = (one: Overview, { maxBytes = 1_000, folders = ["/tmp"] } = {}) => {
  const lender = new OverviewExchange({ ...alone, folders });
  lender.serve(async (name) => (name === "one" ? completeOverview(one) : undefined), maxBytes);
  // As between processes: only what can be cloned arrives.
  const ask = async (name: string, after: number) =>
    structuredClone(await lender.lend(name, after));
  const borrower = new OverviewExchange({ claim: ask, look: ask, log: silent });
  return { lender, borrower };
};

describe.skipIf(process.platform !== "linux")("the exchange of overviews", () => {
  it("passes an overview on through a file", async () => {
    const one = overview(300);
    const { lender, borrower } = exchanges(one);
    const found = await borrower.find("one", signal, never);
    expect({ ...found, pixels: [...(found?.pixels ?? [])] }).toEqual({
      ...one,
      pixels: [...one.pixels],
    });
    expect(await borrower.find("two", signal, never)).toBeUndefined();
    // It is written once.
    const [first, second] = await Promise.all([lender.lend("one"), lender.lend("one")]);
    expect(first?.path).toBe(second?.path);
  });

  it("passes an overview on part by part, and from the beginning where it is made anew", async () => {
    const [one, other] = [overview(300), overview(200)];
    const states = [
      { overview: one, final: { rows: 3, bytes: 90 } },
      { overview: one, final: { rows: 6, bytes: 180 } },
      { overview: other, final: { rows: 5, bytes: 100 } },
      completeOverview(other),
    ];
    const { lender, borrower } = exchanges(one);
    const afters: number[] = [];
    lender.serve(async (_, after) => {
      afters.push(after);
      return states[afters.length - 1];
    }, 1_000);
    const grown: [number, number, number[]][] = [];
    const found = await borrower.find("one", signal, ({ pixels }, { rows, bytes }) => {
      grown.push([rows, bytes, [...pixels]]);
    });
    const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);
    expect(grown).toEqual([
      [3, 90, [...one.pixels.subarray(0, 90), ...zeros(210)]],
      [6, 180, [...one.pixels.subarray(0, 180), ...zeros(120)]],
      [5, 100, [...other.pixels.subarray(0, 100), ...zeros(100)]],
    ]);
    expect([...(found?.pixels ?? [])]).toEqual([...other.pixels]);
    expect(afters).toEqual([0, 90, 180, 100]);
  });

  it("looks for a complete overview without claiming it", async () => {
    const one = overview(300);
    const { lender } = exchanges(one);
    lender.serve(async (name, after) => {
      if (name !== "one") return undefined;
      return after === 0 ? { overview: one, final: { rows: 3, bytes: 90 } } : completeOverview(one);
    }, 1_000);
    const claim = () => expect.unreachable("It was claimed.");
    const look = async (name: string, after: number) =>
      structuredClone(await lender.lend(name, after));
    const looking = new OverviewExchange({ claim, look, log: silent });
    expect([...((await looking.look("one", signal))?.pixels ?? [])]).toEqual([...one.pixels]);
    expect(await looking.look("two", signal)).toBeUndefined();
  });

  it("lends for a few seconds, and no more than it may at a time", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    try {
      const [one, two] = [overview(300), overview(300)];
      const lender = new OverviewExchange(alone);
      lender.serve(async (name) => completeOverview(name === "one" ? one : two), 500);
      const lent = await lender.lend("one");
      expect(await lender.lend("two")).toBeUndefined();
      expect(existsSync(lent?.path ?? "")).toBe(true);
      vi.advanceTimersByTime(6_000);
      expect((await lender.lend("two"))?.bytes).toBe(300);
    } finally {
      vi.useRealTimers();
    }
  });

  it("writes to the next folder where one does not accept a file", async () => {
    const { lender } = exchanges(overview(3), { folders: ["/nonexistent", "/tmp"] });
    expect((await lender.lend("one"))?.bytes).toBe(3);
    const { lender: failing } = exchanges(overview(3), { folders: ["/nonexistent"] });
    await expect(failing.lend("one")).rejects.toThrow("ENOENT");
    // What failed does not count as lent.
    await expect(failing.lend("one")).rejects.toThrow("ENOENT");
  });

  it("finds none where a file cannot be read or has another size, or nobody answers", async () => {
    const claims: (() => Promise<LentOverview | undefined>)[] = [
      async () => ({ ...overview(0), ...fileOf("/nonexistent", 3) }),
      async () => ({ ...overview(0), ...fileOf("/proc/self/comm", 300) }),
      async () => ({ ...overview(0), ...fileOf("/proc/self/comm", 0) }),
      () => Promise.reject(new Error("no answer")),
    ];
    for (const claim of claims)
      expect(
        await new OverviewExchange({ ...alone, claim }).find("one", signal, never),
      ).toBeUndefined();
  });

  it("ends with the signal", async () => {
    const leaving = new AbortController();
    const exchange = new OverviewExchange({ ...alone, claim: () => new Promise(() => {}) });
    const found = exchange.find("one", leaving.signal, never);
    leaving.abort(new Error("left"));
    await expect(found).rejects.toThrow("left");
  });
});
