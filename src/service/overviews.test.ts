import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ImageInfo } from "../core/info.ts";
import type { Overview, TakeGrowing } from "../render/overview.ts";
import { type LendOverview, type OtherOverviews, Overviews } from "./overviews.ts";

const size = { width: 10, height: 10 };
const infoOf = (): ImageInfo => ({
  format: "jpg",
  pages: [
    {
      size,
      orientation: 1,
      levels: [{ size, tile: size }],
      colour: { bits: 8, model: "rgb", alpha: false, profile: "none" },
    },
  ],
});
const overview = (bytes: number): Overview => ({
  pixels: new Uint8Array(bytes),
  size,
  look: { space: "srgb", keepsProfile: false },
  raster: { size, covers: { x: 0, y: 0, ...size } },
});
const wantedOf = (info: ImageInfo, key = "a", rows = size.height) => ({
  ...{ info, key, identifier: "i", version: "1" },
  rowsIn: () => rows,
});
const { signal } = new AbortController();

/** Overviews of a process whose others have none, and the names that these are asked for. */
const lending = () => {
  const asked: string[] = [];
  let serving: LendOverview = async () => undefined;
  const overviews = new Overviews(1_000, {
    async find(name) {
      asked.push(name);
      return undefined;
    },
    look: async () => undefined,
    serve(lend) {
      serving = lend;
    },
  });
  return { overviews, asked, lend: serving };
};

describe("overviews", () => {
  it("are made once for all who want them, and stay in memory", async () => {
    const overviews = new Overviews(1_000);
    const info = infoOf();
    let made = 0;
    const get = () =>
      overviews.get(wantedOf(info), signal, async () => {
        made++;
        await turn();
        return overview(100);
      });
    const both = Promise.all([get(), get()]);
    expect(overviews.has({ info, key: "a" })).toBe(true);
    const [one, other] = await both;
    expect(await get()).toBe(one);
    expect(other).toBe(one);
    expect(made).toBe(1);
    expect(overviews.tally).toEqual({ hits: 2, misses: 1 });
    expect(overviews.bytes).toBe(100);
    overviews.clear();
    expect(overviews.has({ info, key: "a" })).toBe(false);
    expect(overviews.bytes).toBe(0);
  });

  it("are separate for other images, and for another state of one", async () => {
    const overviews = new Overviews(1_000);
    const [before, after] = [infoOf(), infoOf()];
    const one = await overviews.get(wantedOf(before), signal, async () => overview(1));
    const other = await overviews.get(wantedOf(after), signal, async () => overview(2));
    expect([one.pixels.length, other.pixels.length]).toEqual([1, 2]);
  });

  it("stay within their memory, and are taken up to a quarter of it", async () => {
    const overviews = new Overviews(1_000);
    expect(overviews.takes({ bytes: 250 })).toBe(true);
    expect(overviews.takes({ bytes: 251 })).toBe(false);
    expect(new Overviews(0).takes({ bytes: 1 })).toBe(false);
    const info = infoOf();
    for (let n = 0; n < 10; n++)
      await overviews.get(wantedOf(info, String(n)), signal, async () => overview(250));
    expect(overviews.bytes).toBe(1_000);
    expect(overviews.has({ info, key: "9" })).toBe(true);
    expect(overviews.has({ info, key: "0" })).toBe(false);
  });

  it("are given up once nobody waits for them, and not for who leaves first", async () => {
    const overviews = new Overviews(1_000);
    const info = infoOf();
    const [first, second] = [new AbortController(), new AbortController()];
    let inside: AbortSignal | undefined;
    let end = (_made: Overview): void => {};
    const get = (from: AbortController) =>
      overviews.get(wantedOf(info), from.signal, (own) => {
        inside = own;
        return new Promise((resolve) => {
          end = resolve;
        });
      });
    const [one, other] = [get(first), get(second)];
    first.abort(new Error("left"));
    await expect(one).rejects.toThrow("left");
    expect(inside?.aborted).toBe(false);
    second.abort(new Error("left, too"));
    await expect(other).rejects.toThrow("left, too");
    expect(inside?.aborted).toBe(true);
    end(overview(1));
    await turn();
  });

  it("pass on failures, which are not kept", async () => {
    const overviews = new Overviews(1_000);
    const wanted = wantedOf(infoOf());
    const failing = overviews.get(wanted, signal, () => Promise.reject(new Error("corrupt")));
    await expect(failing).rejects.toThrow("corrupt");
    expect((await overviews.get(wanted, signal, async () => overview(3))).pixels.length).toBe(3);
  });

  it("come from another process that has them", async () => {
    const asked: string[] = [];
    const others: OtherOverviews = {
      async find(name) {
        asked.push(name);
        return overview(7);
      },
      look: async () => undefined,
      serve: () => {},
    };
    const overviews = new Overviews(1_000, others);
    const never = () => Promise.reject(new Error("made again"));
    const info = infoOf();
    expect((await overviews.get(wantedOf(info), signal, never)).pixels.length).toBe(7);
    // From memory now, and by another name for another image.
    await overviews.get(wantedOf(info), signal, never);
    expect(asked.length).toBe(1);
    await overviews.get({ ...wantedOf(infoOf()), version: "2" }, signal, never);
    expect(new Set(asked).size).toBe(2);
  });

  it("are lent to other processes, also while they are made", async () => {
    const { overviews, asked, lend } = lending();
    let end = (_made: Overview): void => {};
    const own = overviews.get(
      wantedOf(infoOf()),
      signal,
      () =>
        new Promise((resolve) => {
          end = resolve;
        }),
    );
    await turn();
    const [name = ""] = asked;
    const lent = lend(name, 0);
    expect(await lend("other", 0)).toBeUndefined();
    end(overview(5));
    expect((await lent)?.overview).toBe(await own);
    const whole = await lend(name, 0);
    expect(whole?.overview).toBe(await own);
    expect(whole?.final).toEqual({ rows: 10, bytes: 5 });
    overviews.clear();
    expect(await lend(name, 0)).toBeUndefined();
  });

  it("are found without being made: in memory, in the making, or in another process", async () => {
    const looked: string[] = [];
    const found = overview(9);
    const overviews = new Overviews(1_000, {
      find: async () => undefined,
      async look(name) {
        looked.push(name);
        return looked.length === 1 ? undefined : found;
      },
      serve: () => {},
    });
    const wanted = wantedOf(infoOf());
    expect(await overviews.look(wanted, signal)).toBeUndefined();
    expect(await overviews.look(wanted, signal)).toBe(found);
    let grow: TakeGrowing = () => {};
    let end = (_made: Overview): void => {};
    const one = overview(100);
    const own = overviews.get(wanted, signal, (_, grown) => {
      grow = grown;
      return new Promise((resolve) => {
        end = resolve;
      });
    });
    await turn();
    const early = overviews.look(wanted, signal);
    grow(one, { rows: 3, bytes: 30 });
    await turn();
    end(one);
    expect(await early).toBe(await own);
    expect(await overviews.look(wanted, signal)).toBe(one);
    expect(await overviews.look({ ...wanted, version: "2" }, signal)).toBe(found);
    expect(looked).toHaveLength(3);
    expect(overviews.tally).toEqual({ hits: 0, misses: 1 });
  });

  it("that are looked for are waited for until the signal aborts", async () => {
    const overviews = new Overviews(1_000);
    const wanted = wantedOf(infoOf());
    const leaving = new AbortController();
    const own = overviews.get(wanted, signal, () => new Promise<Overview>(() => {}));
    own.catch(() => {});
    await turn();
    const looking = overviews.look(wanted, leaving.signal);
    leaving.abort(new Error("left"));
    await expect(looking).rejects.toThrow("left");
  });

  describe("that grow", () => {
    /** Overviews of which one is being made, in steps. */
    const growing = () => {
      const { overviews, asked, lend } = lending();
      const info = infoOf();
      const one = overview(100);
      let grow: TakeGrowing = () => {};
      let inside: AbortSignal | undefined;
      let end = (_made: Overview): void => {};
      let fail = (_error: Error): void => {};
      const get = (rows: number, from = signal) =>
        overviews.get(wantedOf(info, "a", rows), from, (own, grown) => {
          inside = own;
          grow = grown;
          return new Promise((resolve, reject) => {
            end = resolve;
            fail = reject;
          });
        });
      return {
        ...{ overviews, one, get },
        grow: (rows: number, bytes = rows * 10) => grow(one, { rows, bytes }),
        end: () => end(one),
        fail: (error: Error) => fail(error),
        lend: (after: number) => lend(asked[0] ?? "", after),
        isAborted: () => inside?.aborted,
      };
    };
    const isPending = async (promise: Promise<unknown>): Promise<boolean> =>
      (await Promise.race([promise, turn("pending")])) === "pending";

    it("are given to each as soon as the rows are there that it wants", async () => {
      const { get, grow, end, one, overviews } = growing();
      const [first, second, last] = [get(3), get(6), get(10)];
      await turn();
      grow(2);
      expect(await isPending(first)).toBe(true);
      grow(5);
      expect(await first).toBe(one);
      expect(await isPending(second)).toBe(true);
      // Also to one that comes later.
      expect(await get(4)).toBe(one);
      grow(9);
      expect(await second).toBe(one);
      expect(overviews.bytes).toBe(0);
      end();
      expect(await last).toBe(one);
      expect(overviews.bytes).toBe(100);
    });

    it("are made to the end for who comes next, though nobody waits any more", async () => {
      const { get, grow, end, isAborted, overviews } = growing();
      const leaving = new AbortController();
      const first = get(3, leaving.signal);
      await turn();
      grow(4);
      await first;
      leaving.abort(new Error("left"));
      expect(isAborted()).toBe(false);
      end();
      await turn();
      expect(overviews.bytes).toBe(100);
    });

    it("fail for those that want what is below, and are void then", async () => {
      const { get, grow, fail } = growing();
      const [first, last] = [get(3), get(10)];
      await turn();
      grow(5);
      await first;
      grow(0);
      expect(await isPending(get(3))).toBe(true);
      fail(new Error("corrupt"));
      await expect(last).rejects.toThrow("corrupt");
    });

    it("are lent as far as they are", async () => {
      const { get, grow, end, lend, one } = growing();
      const own = get(10);
      await turn();
      const lent = lend(0);
      expect(await isPending(lent)).toBe(true);
      grow(3);
      expect(await lent).toEqual({ overview: one, final: { rows: 3, bytes: 30 } });
      const next = lend(30);
      expect(await isPending(next)).toBe(true);
      end();
      expect(await next).toEqual({ overview: one, final: { rows: 10, bytes: 100 } });
      expect(await own).toBe(one);
    });
  });
});
