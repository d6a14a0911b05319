import { describe, expect, it } from "vitest";
import { plan } from "../../test/plans.ts";
import { memoryReader } from "../../test/readers.ts";
import { fail } from "../core/errors.ts";
import type { ImageInfo } from "../core/info.ts";
import type { ReadSync } from "../core/range-reader.ts";
import { readOne, work } from "../core/steps.ts";
import { Timings } from "../core/timings.ts";
import { Execution } from "./execution.ts";
import type { PlanTools } from "./tools.ts";
import type { Way } from "./ways.ts";

const bytes = Uint8Array.from({ length: 100 }, (_, index) => index);
const near: ReadSync = (offset, length) => bytes.slice(offset, offset + length);
const reader = memoryReader(bytes);
const { signal } = new AbortController();

const size = { width: 40, height: 30 };
const info: ImageInfo = {
  format: "png",
  pages: [
    {
      size,
      orientation: 1,
      levels: [{ size, tile: size }],
      colour: { bits: 8, model: "rgb", alpha: false, profile: "none" },
    },
  ],
};

/** A run down two ways, and the record of its calls. */
const walked = ({
  stored,
  here,
  changes = {},
}: {
  /** The stored way's result once it has read. */
  readonly stored?: number | undefined;
  /** Whether the drawn way renders on this thread. */
  readonly here?: boolean;
  readonly changes?: Partial<PlanTools>;
}) => {
  const events: string[] = [];
  const ways: readonly Way[] = [
    {
      name: "stored",
      isFree: true,
      whyNot: () => undefined,
      *answer() {
        events.push("stored begins");
        try {
          const [first] = yield* readOne({ offset: 7, length: 1 });
          events.push("stored has read");
          return stored === undefined ? undefined : Uint8Array.of(first ?? 0, stored);
        } finally {
          events.push("stored ends");
        }
      },
    },
    // Both are skipped: one of them finds only on a closer look that it has no result.
    { name: "recoded", isFree: false, whyNot: () => undefined, answer: () => undefined },
    { name: "scaled", isFree: false, whyNot: () => "never", answer: () => fail("internal", "") },
    {
      name: "drawn",
      isFree: false,
      whyNot: () => undefined,
      *answer() {
        events.push("drawn begins");
        const [first] = yield* readOne({ offset: 9, length: 1 });
        return yield* work({
          ...(here && { here: () => Uint8Array.of(first ?? 0, 1) }),
          away: async () => Uint8Array.of(first ?? 0, 2),
        });
      },
    },
  ];
  const timings = new Timings();
  const means: PlanTools = {
    info,
    file: reader,
    part: "there are no parts in this test",
    decoder: { info: async () => info, read: () => fail("internal", "") },
    encoder: { encode: () => fail("internal", "") },
    timings,
    ...changes,
  };
  return { walk: new Execution(plan, means, ways), events, timings };
};

describe("the execution of a plan", () => {
  it("ends at once if everything is in memory", () => {
    const { walk, timings } = walked({ stored: 5 });
    expect(walk.advance(near, false)).toEqual(Uint8Array.of(7, 5));
    expect(timings.way).toBe("stored");
    const drawn = walked({ here: true });
    expect(drawn.walk.advance(near, true)).toEqual(Uint8Array.of(9, 1));
    expect(drawn.timings.way).toBe("drawn");
  });

  it("starts no rendering where that is not allowed", () => {
    const { walk, events } = walked({ here: true });
    expect(walk.advance(near, false)).toBeUndefined();
    expect(events).not.toContain("drawn begins");
  });

  it("continues where it stopped, and starts nothing twice", async () => {
    const { walk, events, timings } = walked({});
    expect(walk.advance(undefined, true)).toBeUndefined();
    expect(walk.isFree).toBe(true);
    expect(await walk.find(reader, signal)).toBeUndefined();
    expect(walk.isFree).toBe(false);
    expect(await walk.finish(reader, signal)).toEqual(Uint8Array.of(9, 2));
    expect(events).toEqual(["stored begins", "stored has read", "stored ends", "drawn begins"]);
    expect(timings.way).toBe("drawn");
  });

  it("finds a stored result without rendering", async () => {
    const { walk, events } = walked({ stored: 5 });
    expect(await walk.find(reader, signal)).toEqual(Uint8Array.of(7, 5));
    expect(events).not.toContain("drawn begins");
  });

  it("skips stored results that cannot be used", async () => {
    const { walk, events } = walked({ stored: 5 });
    walk.advance(undefined, true);
    walk.skipFree();
    expect(events).toEqual(["stored begins", "stored ends"]);
    expect(await walk.finish(reader, signal)).toEqual(Uint8Array.of(9, 2));
  });

  it("cancels work in progress when it is dropped", () => {
    const { walk, events } = walked({ stored: 5 });
    walk.advance(undefined, true);
    walk.drop();
    expect(events).toEqual(["stored begins", "stored ends"]);
  });

  it("fails if nothing can be rendered, but sends what is stored", async () => {
    const changes = { encoder: undefined };
    await expect(walked({ changes }).walk.finish(reader, signal)).rejects.toMatchObject({
      failure: "unimplemented",
    });
    expect(walked({ changes, here: true }).walk.advance(near, true)).toBeUndefined();
    expect(await walked({ changes, stored: 5 }).walk.find(reader, signal)).toBeDefined();
  });
});
