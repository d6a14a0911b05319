import { setMaxListeners } from "node:events";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Admission, type AdmissionLimits, type Cost } from "./admission.ts";
import { Busy, type FullLane } from "./busy.ts";
import { ServerError } from "./errors.ts";

const never = new AbortController().signal;
setMaxListeners(0, never);

const limits: AdmissionLimits = {
  small: { running: 2, bytes: 100 },
  large: { running: 1, bytes: 1_000 },
  largePixels: 50,
  waiting: 100,
  patienceMs: 60_000,
  rest: 0,
};
const tile: Cost = { bytes: 10, pixels: 10 };
const sheet: Cost = { bytes: 500, pixels: 5_000 };

const admissionWith = (changes: Partial<AdmissionLimits> = {}, now?: () => number): Admission =>
  new Admission(() => ({ ...limits, ...changes }), now ? { now } : {});

const gate = () => {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
};

const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve));

const failsAs = (failure: string) => (error: unknown) =>
  error instanceof ServerError && error.failure === failure;

const crowdOf = (check: () => void): FullLane | undefined => {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof Busy) return error.crowd;
    throw error;
  }
};

describe("admission", () => {
  it("runs no more at once than its limit", async () => {
    const admission = admissionWith();
    let now = 0;
    let max = 0;
    await Promise.all(
      Array.from({ length: 20 }, () =>
        admission.run(tile, never, async () => {
          max = Math.max(max, ++now);
          await turnOfLoop();
          now--;
        }),
      ),
    );
    expect(max).toBe(2);
    expect(admission.state).toMatchObject({
      small: { running: 0, waiting: 0, bytes: 0 },
      counts: { begun: 20, done: 20, waited: 18, refusedFull: 0 },
    });
  });

  it("lets tiles pass while large images run and wait", async () => {
    const admission = admissionWith();
    const { opened, open } = gate();
    const large = [1, 2, 3].map(() => admission.run(sheet, never, () => opened));
    expect(await admission.run(tile, never, async () => "tile")).toBe("tile");
    expect(admission.state.large).toEqual({ running: 1, waiting: 2, bytes: 500 });
    open();
    await Promise.all(large);
  });

  it("lets other work run while suspended work waits, which then precedes later work", async () => {
    let now = 0;
    const admission = admissionWith({}, () => now);
    const far = gate();
    const order: string[] = [];
    const waiting = admission.run(sheet, never, async ({ aside }) => {
      await aside(() => far.opened);
      order.push("waited");
    });
    for (let turn = 0; turn < 3; turn++) await turnOfLoop();
    expect(admission.state.large).toEqual({ running: 0, waiting: 0, bytes: 0 });
    const { opened, open } = gate();
    const first = admission.run(sheet, never, () => opened);
    const second = admission.run(sheet, never, async () => void order.push("second"));
    now = 100_000;
    far.open();
    await turnOfLoop();
    expect(order).toEqual([]);
    open();
    await Promise.all([waiting, first, second]);
    expect(order).toEqual(["waited", "second"]);
    expect(admission.state.large).toEqual({ running: 0, waiting: 0, bytes: 0 });
  });

  it("does not count suspended time as work", async () => {
    let now = 0;
    const admission = admissionWith({ patienceMs: 1_000 }, () => now);
    await admission.run(sheet, never, async ({ aside }) => {
      await aside(async () => {
        await turnOfLoop();
        await turnOfLoop();
        now += 60_000;
      });
    });
    const { opened, open } = gate();
    const first = admission.run(sheet, never, () => opened);
    expect(crowdOf(() => admission.check(sheet))).toBe(undefined);
    open();
    await first;
  });

  it("leaves nothing in a lane when work fails while a part of it is suspended", async () => {
    const admission = admissionWith();
    const far = gate();
    const failing = admission.run(tile, never, ({ aside }) =>
      Promise.all([
        aside(() => far.opened),
        aside(async () => {
          await turnOfLoop();
          await turnOfLoop();
          throw new Error("no");
        }),
      ]),
    );
    await expect(failing).rejects.toThrow("no");
    far.open();
    for (let turn = 0; turn < 3; turn++) await turnOfLoop();
    expect(admission.state.small).toEqual({ running: 0, waiting: 0, bytes: 0 });
  });

  it("lets work resume beyond the bounds when everything running is stalled on it", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const admission = admissionWith();
    const far = gate();
    const first = gate();
    const waiting = admission.run(sheet, never, async ({ aside }) => {
      await aside(() => far.opened);
      first.open();
    });
    for (let turn = 0; turn < 3; turn++) await turnOfLoop();
    const second = admission.run(sheet, never, () => first.opened);
    far.open();
    for (let turn = 0; turn < 3; turn++) await turnOfLoop();
    expect(admission.state.large).toEqual({ running: 1, waiting: 1, bytes: 500 });
    vi.advanceTimersByTime(1_000);
    await Promise.all([waiting, second]);
    expect(admission.state.large).toEqual({ running: 0, waiting: 0, bytes: 0 });
  });

  it("does not keep cancelled work in the queue", async () => {
    const admission = admissionWith();
    const far = gate();
    const leaving = new AbortController();
    const waiting = admission.run(sheet, leaving.signal, async ({ aside }) => {
      await aside(() => far.opened);
      leaving.signal.throwIfAborted();
    });
    for (let turn = 0; turn < 3; turn++) await turnOfLoop();
    const { opened, open } = gate();
    const second = admission.run(sheet, never, () => opened);
    far.open();
    for (let turn = 0; turn < 3; turn++) await turnOfLoop();
    leaving.abort(new Error("left"));
    await expect(waiting).rejects.toThrow("left");
    expect(admission.state.large).toEqual({ running: 1, waiting: 0, bytes: 500 });
    open();
    await second;
    expect(admission.state.large).toEqual({ running: 0, waiting: 0, bytes: 0 });
  });

  it("treats work with many bytes as large, however few its pixels", async () => {
    const admission = admissionWith();
    await admission.run({ bytes: 101, pixels: 1 }, never, async () => {
      expect(admission.state).toMatchObject({ large: { running: 1 }, small: { running: 0 } });
    });
  });

  it("refuses work at once when the queue is full", async () => {
    const admission = admissionWith({ waiting: 1 });
    const { opened, open } = gate();
    const begun = [1, 2].map(() => admission.run(tile, never, () => opened));
    const third = admission.run(tile, never, async () => "third");
    await expect(admission.run(tile, never, async () => "fourth")).rejects.toSatisfy(
      failsAs("busy"),
    );
    expect(admission.state.counts.refusedFull).toBe(1);
    open();
    await Promise.all(begun);
    expect(await third).toBe("third");
  });

  it("refuses work at once that would wait too long, judging by past work", async () => {
    let now = 0;
    const admission = admissionWith({ patienceMs: 1_000 }, () => now);
    await admission.run(sheet, never, async () => {
      now += 900;
    });
    const { opened, open } = gate();
    const first = admission.run(sheet, never, () => opened);
    const second = admission.run(sheet, never, async () => "second");
    // Half of the running one and all of the queued one: 1350 ms.
    await expect(admission.run(sheet, never, async () => "third")).rejects.toSatisfy(
      failsAs("busy"),
    );
    expect(admission.state.counts.refusedSlow).toBe(1);
    open();
    await first;
    expect(await second).toBe("second");
  });

  it("refuses work that has waited too long, whatever the estimate", async () => {
    const admission = admissionWith({ patienceMs: 5 });
    const { opened, open } = gate();
    const first = admission.run(sheet, never, () => opened);
    await expect(admission.run(sheet, never, async () => "second")).rejects.toSatisfy(
      failsAs("busy"),
    );
    expect(admission.state.large.waiting).toBe(0);
    open();
    await first;
  });

  it("rejects work that can never fit as malformed, and runs none of it", async () => {
    const admission = admissionWith();
    let ran = false;
    await expect(
      admission.run({ bytes: 1_001, pixels: 1 }, never, async () => {
        ran = true;
      }),
    ).rejects.toSatisfy(failsAs("malformed"));
    expect(ran).toBe(false);
    expect(admission.state.counts).toMatchObject({ refusedHuge: 1, begun: 0 });
  });

  it("releases aborted callers from the queue", async () => {
    const admission = admissionWith();
    const { opened, open } = gate();
    const first = admission.run(sheet, never, () => opened);
    const leaving = new AbortController();
    const second = admission.run(sheet, leaving.signal, async () => "second");
    leaving.abort(new Error("left"));
    await expect(second).rejects.toThrow("left");
    expect(admission.state.large).toMatchObject({ running: 1, waiting: 0 });
    open();
    await first;
    expect(admission.state).toMatchObject({ large: { running: 0 }, counts: { left: 1 } });
  });

  it("holds the capacity of abandoned work until it has really ended", async () => {
    const admission = admissionWith();
    const { opened, open } = gate();
    const leaving = new AbortController();
    const first = admission.run(sheet, leaving.signal, () => opened);
    leaving.abort(new Error("left"));
    expect(admission.state.large.bytes).toBe(500);
    open();
    await first;
    expect(admission.state).toMatchObject({ large: { bytes: 0 }, counts: { abandoned: 1 } });
  });

  it("continues after failed work", async () => {
    const admission = admissionWith();
    await expect(
      admission.run(sheet, never, async () => {
        throw new Error("damaged");
      }),
    ).rejects.toThrow("damaged");
    expect(await admission.run(sheet, never, async () => "next")).toBe("next");
  });

  it("pauses large work for as long as it ran while tiles fill their lane, and no longer", async () => {
    let now = 0;
    const admission = admissionWith({ rest: 1 }, () => now);
    const { opened, open } = gate();
    const tiles = Promise.all([1, 2].map(() => admission.run(tile, never, () => opened)));
    await admission.run(sheet, never, async () => {
      now += 5_000;
    });
    let begun = false;
    const next = admission.run(sheet, never, async () => {
      begun = true;
    });
    await turnOfLoop();
    expect(begun).toBe(false);
    open();
    await tiles;
    await next;
    expect(begun).toBe(true);
  });

  it("does not pause large work that tiles wait for", async () => {
    let now = 0;
    const admission = admissionWith({ rest: 4, patienceMs: 4_000 }, () => now);
    const { opened, open } = gate();
    const tiles = Promise.all([1, 2].map(() => admission.run(tile, never, () => opened)));
    await admission.run(sheet, never, async () => {
      now += 1_000;
    });
    const awaited = { ...sheet, isAwaited: true } as const;
    const passed: number[] = [];
    for (let n = 0; n < 10; n++)
      await admission.run(awaited, never, async () => {
        passed.push(now);
        now += 100;
      });
    expect(passed.at(-1)).toBe(1_900);
    open();
    await tiles;
  });

  it("does not pause large work while tiles find capacity", async () => {
    let now = 0;
    const own = { rest: 1, small: { running: 3, bytes: 100 } };
    const admission = admissionWith(own, () => now);
    const { opened, open } = gate();
    const tiles = admission.run(tile, never, () => opened);
    await admission.run(sheet, never, async () => {
      now += 5_000;
    });
    let begun = false;
    const next = admission.run(sheet, never, async () => {
      begun = true;
    });
    await turnOfLoop();
    expect(begun).toBe(true);
    open();
    await Promise.all([tiles, next]);
  });

  it("pauses large work no longer than the maximum wait", async () => {
    let now = 0;
    const admission = admissionWith({ rest: 1, patienceMs: 2_000 }, () => now);
    const { opened, open } = gate();
    const tiles = Promise.all([1, 2].map(() => admission.run(tile, never, () => opened)));
    const { opened: drawn, open: finish } = gate();
    const first = admission.run(sheet, never, () => drawn);
    let begun = false;
    const next = admission.run(sheet, never, async () => {
      begun = true;
    });
    now = 2_000;
    finish();
    await first;
    await next;
    expect(begun).toBe(true);
    open();
    await tiles;
  });

  it("accounts for the pauses of large work while tiles fill their lane", async () => {
    let now = 0;
    const admission = admissionWith({ rest: 4, patienceMs: 4_000 }, () => now);
    await admission.run(sheet, never, async () => {
      now += 1_000;
    });
    const { opened, open } = gate();
    const first = admission.run(sheet, never, () => opened);
    expect(() => admission.check(sheet)).not.toThrow();
    const tiles = [admission.run(tile, never, () => opened)];
    expect(() => admission.check(sheet)).not.toThrow();
    tiles.push(admission.run(tile, never, () => opened));
    const tilesFor = (ms: number): void => {
      for (let at = 0; at < ms; at += 200) {
        now += 200;
        admission.check(tile);
      }
    };
    // The tiles of one view: they are not expected to fill the lane much longer than they have.
    tilesFor(800);
    expect(() => admission.check(sheet)).not.toThrow();
    tilesFor(1_200);
    // Half of the running one, four times all of it, and the rest of a four-second pause.
    expect(crowdOf(() => admission.check(sheet))).toEqual({
      lane: "large",
      waiting: 0,
      expectedMs: 500 + 4_000 + 2_000,
    });
    // After a lull, they count anew.
    now += 300;
    admission.check(tile);
    expect(() => admission.check(sheet)).not.toThrow();
    open();
    await Promise.all([first, ...tiles]);
  });

  it("limits the queue before it has learned how long work takes", async () => {
    const admission = admissionWith({ patienceMs: 10_000 });
    const long: Cost = { bytes: 1, pixels: 500_000_000 };
    const { opened, open } = gate();
    const accepted = [1, 2].map(() => admission.run(long, never, () => opened));
    expect(crowdOf(() => admission.check(long))?.waiting).toBeUndefined();
    accepted.push(admission.run(long, never, () => opened));
    expect(crowdOf(() => admission.check(long))?.waiting).toBe(2);
    open();
    await Promise.all(accepted);
  });

  it("predicts refusals, and counts each once", async () => {
    const admission = admissionWith({ waiting: 1 });
    const { opened, open } = gate();
    expect(admission.isCrowded).toBe(false);
    const begun = [1, 2, 3].map(() => admission.run(tile, never, () => opened));
    expect(admission.isCrowded).toBe(true);
    expect(crowdOf(() => admission.check(tile))).toMatchObject({ lane: "small", waiting: 1 });
    expect(admission.state.counts).toMatchObject({ begun: 2, refusedFull: 1 });
    expect(() => admission.check(sheet)).not.toThrow();
    expect(() => admission.check({ bytes: 1_001, pixels: 1 })).toThrow(/memory/);
    open();
    await Promise.all(begun);
  });
});

interface Piece {
  readonly cost: Cost;
  /** Turns of the event loop that the work takes. */
  readonly turns: number;
  /** The turn in which the caller aborts; beyond all turns for never. */
  readonly leaves: number;
}

const piece: fc.Arbitrary<Piece> = fc.record({
  cost: fc.record({
    bytes: fc.integer({ min: 0, max: 1_200 }),
    pixels: fc.integer({ min: 0, max: 200 }),
  }),
  turns: fc.integer({ min: 0, max: 4 }),
  leaves: fc.integer({ min: 0, max: 40 }),
});

it("respects every budget and order and finishes all work, whoever comes and leaves", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 40 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 0, max: 10 }),
      async (pieces, running, waiting) => {
        const own = {
          small: { running, bytes: 100 },
          large: { running, bytes: 1_000 },
          waiting,
          rest: 0,
        };
        const admission = admissionWith(own);
        const laneOf = ({ bytes, pixels }: Cost) =>
          pixels <= limits.largePixels && bytes <= 100 ? "small" : "large";
        const begun = { small: [] as number[], large: [] as number[] };
        const work = async (index: number, { cost, turns }: Piece): Promise<number> => {
          begun[laneOf(cost)].push(index);
          for (const lane of ["small", "large"] as const) {
            const { running, bytes } = admission.state[lane];
            expect(running).toBeLessThanOrEqual(own[lane].running);
            expect(bytes).toBeLessThanOrEqual(own[lane].bytes);
            expect(admission.state[lane].waiting).toBeLessThanOrEqual(waiting);
          }
          for (let turn = 0; turn < turns; turn++) await turnOfLoop();
          return index;
        };
        const outcomes: Promise<unknown>[] = [];
        const leaving: AbortController[] = [];
        for (const [index, each] of pieces.entries()) {
          const controller = new AbortController();
          leaving.push(controller);
          outcomes.push(
            admission
              .run(each.cost, controller.signal, () => work(index, each))
              .catch((e: unknown) => e),
          );
        }
        for (let turn = 0; turn < 40; turn++) {
          for (const [index, { leaves }] of pieces.entries())
            if (leaves === turn) leaving[index]?.abort(new Error("left"));
          await turnOfLoop();
        }
        const results = await Promise.all(outcomes);
        for (const lane of ["small", "large"] as const)
          expect(begun[lane]).toEqual([...begun[lane]].sort((a, b) => a - b));
        const { counts, small, large } = admission.state;
        expect([small, large]).toEqual([0, 1].map(() => ({ running: 0, waiting: 0, bytes: 0 })));
        expect(counts.begun).toBe(begun.small.length + begun.large.length);
        expect(counts.done).toBe(counts.begun);
        expect(
          counts.begun + counts.left + counts.refusedFull + counts.refusedHuge + counts.refusedSlow,
        ).toBe(pieces.length);
        expect(results.filter((result) => typeof result === "number")).toHaveLength(counts.begun);
      },
    ),
    { numRuns: 200 },
  );
});
