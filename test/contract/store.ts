import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Store, StoreContext } from "../../src/caches/store.ts";
import { silent } from "../../src/core/log.ts";

/** A place that stores are opened on; initially empty. */
export interface Place {
  open(context: StoreContext): Promise<Store>;
  /**
   * Minimum difference in milliseconds between two times that the place distinguishes; a second by
   * default.
   */
  readonly timeStep?: number;
  /** Corrupts one byte in the middle of an entry, where that is possible from outside. */
  damage?(name: string): Promise<void>;
  remove(): Promise<void>;
}

const signal = new AbortController().signal;
const hash = (n: number): string => n.toString(16).padStart(32, "0");
const image = (of: number, plan: number): string => `image/${hash(of)}/${hash(plan)}`;
const info = (of: number): string => `info/${hash(of)}`;
const bytes = (length: number, seed = 1): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 31 + seed * 7) & 255);

/**
 * The contract of every kind of store, wherever it stores things. `skipped` says why it is skipped.
 */
export const storeContract = (
  kind: string,
  makePlace: (() => Promise<Place>) | { readonly skipped: string },
): void => {
  const skipped = typeof makePlace === "function" ? undefined : makePlace.skipped;
  describe.skipIf(skipped !== undefined)(
    `${kind} as a store${skipped ? ` (${skipped})` : ""}`,
    () => {
      let place: Place;
      let store: Store;
      const context = (given: Partial<StoreContext> = {}): StoreContext => ({
        ttlMs: 0,
        bounds: { bytes: 0, entries: 0 },
        log: silent,
        ...given,
      });
      const withStore = async (
        given: Partial<StoreContext>,
        use: (other: Store) => Promise<void>,
      ): Promise<void> => {
        const other = await place.open(context(given));
        try {
          await use(other);
        } finally {
          await other.close();
        }
      };
      const has = async (name: string): Promise<boolean> =>
        (await store.get(name, signal)) !== undefined;

      beforeAll(async () => {
        if (typeof makePlace !== "function") return;
        place = await makePlace();
        store = await place.open(context());
      });
      afterAll(async () => {
        await store?.close();
        await place?.remove();
      });

      it("misses what was never put", async () => {
        expect(await store.get(image(1, 1), signal)).toBeUndefined();
        expect(await store.get(info(1), signal)).toBeUndefined();
      });

      it.each([0, 1, 70_000, 6_000_000])("gives back %i bytes as they were put", async (length) => {
        const before = Date.now();
        await store.put(image(1, length), bytes(length), signal);
        const kept = await store.get(image(1, length), signal);
        expect(kept && Buffer.compare(kept.bytes, bytes(length))).toBe(0);
        // Clocks of other machines may differ slightly.
        expect(kept?.usedAt.getTime()).toBeGreaterThan(before - 5_000);
      });

      it("keeps pictures and infos apart", async () => {
        await store.put(image(2, 1), bytes(10, 1), signal);
        await store.put(info(2), bytes(20, 2), signal);
        expect((await store.get(image(2, 1), signal))?.bytes.length).toBe(10);
        expect((await store.get(info(2), signal))?.bytes.length).toBe(20);
      });

      it("keeps the last of two puts", async () => {
        await store.put(image(3, 1), bytes(100, 1), signal);
        await store.put(image(3, 1), bytes(50, 2), signal);
        const kept = await store.get(image(3, 1), signal);
        expect(kept && Buffer.compare(kept.bytes, bytes(50, 2))).toBe(0);
      });

      it("keeps one of many that are put at the same time, whole", async () => {
        const written = Array.from({ length: 24 }, (_, n) => bytes(3_000 + n, n));
        await withStore({}, async (other) => {
          await Promise.all(
            written.map((body, n) => (n % 2 ? store : other).put(image(4, 1), body, signal)),
          );
        });
        const kept = await store.get(image(4, 1), signal);
        expect(written.some((body) => kept && Buffer.compare(body, kept.bytes) === 0)).toBe(true);
      });

      it("is shared with another one on the same place, and outlives it", async () => {
        await withStore({}, async (other) => {
          await other.put(image(5, 1), bytes(500), signal);
          expect(await has(image(5, 1))).toBe(true);
        });
        expect(await has(image(5, 1))).toBe(true);
      });

      it("removes what begins with a prefix, nothing else, and says how much", async () => {
        for (const plan of [1, 2, 3]) await store.put(image(6, plan), bytes(9), signal);
        await store.put(image(7, 1), bytes(9), signal);
        for (const of of [6, 7]) await store.put(info(of), bytes(9), signal);

        expect(await store.remove(image(6, 2), signal)).toBe(1);
        expect(await store.remove(`image/${hash(6)}/`, signal)).toBe(2);
        expect(await store.remove(`image/${hash(6)}/`, signal)).toBe(0);

        expect(await has(image(6, 1))).toBe(false);
        expect(await has(info(6))).toBe(true);
        expect(await has(image(7, 1))).toBe(true);
        expect(await store.remove(info(6), signal)).toBe(1);
        expect(await has(info(7))).toBe(true);
        expect(await store.remove("info/", signal)).toBeGreaterThanOrEqual(1);
        expect(await has(info(7))).toBe(false);
        expect(await has(image(7, 1))).toBe(true);
        await store.remove("", signal);
        expect(await has(image(7, 1))).toBe(false);
        expect((await store.stats(signal)).entries).toBe(0);
      });

      it("has notes that all who share it read, and that are no entry", async () => {
        const note = (text: string): Uint8Array => new TextEncoder().encode(text);
        await store.remove("", signal);
        await store.put(image(8, 3), bytes(20), signal);
        const held = await store.stats(signal);
        expect(await store.notes.read(signal)).toBeUndefined();
        await withStore({}, async (other) => {
          await store.notes.write(note("one"), signal);
          expect(Buffer.from((await other.notes.read(signal)) ?? []).toString()).toBe("one");
          await other.notes.write(note("two and more"), signal);
        });
        expect(await store.stats(signal)).toEqual(held);
        const before = new Date(Date.now() + 86_400_000);
        await store.sweep({ before, bounds: { bytes: 1, entries: 1 } }, signal);
        await store.remove("", signal);
        expect((await store.stats(signal)).entries).toBe(0);
        expect(Buffer.from((await store.notes.read(signal)) ?? []).toString()).toBe("two and more");
      });

      it("counts what it holds", async () => {
        await store.remove("", signal);
        for (const plan of [1, 2, 3, 4]) await store.put(image(9, plan), bytes(50_000), signal);
        const { entries, bytes: held } = await store.stats(signal);
        expect(entries).toBe(4);
        expect(held).toBeGreaterThanOrEqual(200_000);
        expect(held).toBeLessThan(300_000);
      });

      it("counts what it holds of one image, of all pictures and of all infos", async () => {
        await store.remove("", signal);
        const count = async (prefix: string) => (await store.stats(signal, prefix)).entries;
        expect(await store.stats(signal, `image/${hash(13)}/`)).toEqual({ entries: 0, bytes: 0 });
        for (const plan of [1, 2, 3]) await store.put(image(13, plan), bytes(50_000), signal);
        await store.put(image(14, 1), bytes(50_000), signal);
        for (const of of [13, 14]) await store.put(info(of), bytes(700), signal);

        const { entries, bytes: held } = await store.stats(signal, `image/${hash(13)}/`);
        expect(entries).toBe(3);
        expect(held).toBeGreaterThanOrEqual(150_000);
        expect(held).toBeLessThan(225_000);
        expect((await store.stats(signal, info(13))).bytes).toBeGreaterThanOrEqual(700);
        expect((await store.stats(signal, info(13))).bytes).toBeLessThan(7_000);
        expect(await count(info(13))).toBe(1);
        expect(await count(info(15))).toBe(0);
        expect(await count(image(13, 2))).toBe(1);
        expect(await count(image(13, 4))).toBe(0);
        expect(await count("image/")).toBe(4);
        expect(await count("info/")).toBe(2);
        expect(await store.stats(signal, "")).toEqual(await store.stats(signal));

        await store.put(image(13, 1), bytes(100), signal);
        await store.remove(image(13, 2), signal);
        const after = await store.stats(signal, `image/${hash(13)}/`);
        expect(after.entries).toBe(2);
        expect(after.bytes).toBeLessThan(held - 90_000);
        await store.remove("", signal);
      });

      it("does not begin to count for a caller who has left", async () => {
        const left = AbortSignal.abort(new Error("left"));
        await expect(store.stats(left, `image/${hash(13)}/`)).rejects.toThrow();
      });

      it("sweeps what was not used since a moment, and keeps what was", async () => {
        await store.remove("", signal);
        await store.put(image(10, 1), bytes(1_000), signal);
        await store.put(info(10), bytes(1_000), signal);
        const step = place.timeStep ?? 1_000;
        await wait(2.4 * step);
        const before = new Date(Date.now() - 1.2 * step);
        await store.put(image(10, 2), bytes(1_000), signal);
        await store.sweep({ before, bounds: { bytes: 0, entries: 0 } }, signal);
        expect(await has(image(10, 2))).toBe(true);
        // A store whose place expires entries by itself may rely on that.
        if (store.touch !== undefined) {
          expect(await has(image(10, 1))).toBe(false);
          expect(await has(info(10))).toBe(false);
        }
      });

      it("lets go of the least recently used beyond its bounds", async () => {
        await store.remove("", signal);
        const bounds = { bytes: 120_000, entries: 0 };
        const step = 1.1 * (place.timeStep ?? 1_000);
        await withStore({ bounds }, async (bounded) => {
          for (const plan of [1, 2, 3, 4]) {
            await bounded.put(image(11, plan), bytes(25_000, plan), signal);
            await wait(step);
          }
          await bounded.touch?.(image(11, 1), signal);
          await bounded.get(image(11, 1), signal);
          await wait(step);
          for (const plan of [5, 6])
            await bounded.put(image(11, plan), bytes(25_000, plan), signal);
          await bounded.sweep({ bounds }, signal);
          const { bytes: held, entries } = await bounded.stats(signal);
          expect(held).toBeLessThanOrEqual(126_000);
          expect(entries).toBeGreaterThanOrEqual(3);
          expect(await bounded.get(image(11, 6), signal)).toBeDefined();
          expect(await bounded.get(image(11, 1), signal)).toBeDefined();
          expect(await bounded.get(image(11, 2), signal)).toBeUndefined();
        });
      });

      it("keeps to a number of entries", async () => {
        await store.remove("", signal);
        const bounds = { bytes: 0, entries: 20 };
        await withStore({ bounds }, async (bounded) => {
          for (let plan = 0; plan < 60; plan++)
            await bounded.put(image(12, plan), bytes(100), signal);
          await bounded.sweep({ bounds }, signal);
          const { entries } = await bounded.stats(signal);
          expect(entries).toBeLessThanOrEqual(21);
          expect(entries).toBeGreaterThanOrEqual(10);
        });
      });

      it("counts and purges one image of ten among a thousand entries without touching the others", async () => {
        await store.remove("", signal);
        const names = Array.from({ length: 1_000 }, (_, n) => image(20 + (n % 10), n));
        for (let at = 0; at < names.length; at += 50)
          await Promise.all(
            names.slice(at, at + 50).map((name) => store.put(name, bytes(200), signal)),
          );
        expect((await store.stats(signal, `image/${hash(23)}/`)).entries).toBe(100);
        expect((await store.stats(signal, "image/")).entries).toBe(1_000);
        expect(await store.remove(`image/${hash(23)}/`, signal)).toBe(100);
        expect((await store.stats(signal)).entries).toBe(900);
        await store.remove("", signal);
      }, 60_000);

      it("gives a lock to one of those who ask, again once it is given back or has run out", async () => {
        if (store.lock === undefined) return expect(store.lock).toBeUndefined();
        await withStore({}, async (other) => {
          const mine = await store.lock?.(image(30, 1), 5_000, signal);
          expect(mine).toBeDefined();
          expect(await other.lock?.(image(30, 1), 5_000, signal)).toBeUndefined();
          const another = await other.lock?.(image(30, 2), 5_000, signal);
          expect(another).toBeDefined();
          await another?.();
          await mine?.();
          const theirs = await other.lock?.(image(30, 1), 300, signal);
          expect(theirs).toBeDefined();
          await wait(700);
          const after = await store.lock?.(image(30, 1), 5_000, signal);
          expect(after).toBeDefined();
          // An expired lock is no longer theirs to release.
          await theirs?.();
          expect(await other.lock?.(image(30, 1), 5_000, signal)).toBeUndefined();
          await after?.();
        });
      });

      // Last: a server may store what it was sent by then, after others have counted.
      it("stops when its caller has left, and leaves nothing half behind", async () => {
        const leaving = new AbortController();
        leaving.abort(new Error("left"));
        await expect(store.put(image(8, 1), bytes(4_000_000), leaving.signal)).rejects.toThrow();
        const later = new AbortController();
        const put = store.put(image(8, 2), bytes(6_000_000), later.signal).catch(() => "left");
        setImmediate(() => later.abort(new Error("left")));
        await put;
        const kept = await store.get(image(8, 2), signal);
        expect(kept === undefined || kept.bytes.length === 6_000_000).toBe(true);
        expect(await has(image(8, 1))).toBe(false);
      });
    },
  );
};

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
