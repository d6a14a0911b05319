import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useReader } from "../../src/core/range-reader.ts";
import type { PageFacts } from "../../src/pyramids/facts.ts";
import { pyramidName } from "../../src/pyramids/names.ts";
import type { ListedPyramid, PyramidStore } from "../../src/pyramids/store.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const { signal } = new AbortController();
const isDone = async (): Promise<boolean> => false;

export const nameOf = (identifier: string, version = "1", page = 0): string =>
  pyramidName({ identifier, version, page });

const factsOf = (identifier: string): PageFacts => ({
  ...{ identifier, page: 1, size: { width: 300, height: 200 }, sourceBytes: 1_234 },
  made: new Date(1_700_000_000_000),
});

/** Stores a pyramid of so many bytes for a version of an image; returns its name. */
export const putPyramid = async (
  store: PyramidStore,
  identifier: string,
  { bytes = 10, version = "1" } = {},
): Promise<string> => {
  const name = nameOf(identifier, version);
  const file = join(await temporaryFolder(), "made");
  await writeFile(file, Buffer.alloc(bytes, identifier));
  const lock = await store.lock(name, { isDone, signal });
  if (lock === undefined) throw new Error("Expected the lock.");
  expect(await store.put({ name, file, facts: factsOf(identifier), lock }, signal)).toBe(true);
  await lock.release();
  return name;
};

/** Records that an image was refused; returns the name. */
export const refusePyramid = async (
  store: PyramidStore,
  identifier: string,
  version = "1",
): Promise<string> => {
  const name = nameOf(identifier, version);
  await store.refuse(name, { ...factsOf(identifier), reason: "It is corrupt." }, signal);
  return name;
};

/** All that a store lists. */
export const listedIn = async (
  store: PyramidStore,
  after = "",
): Promise<readonly ListedPyramid[]> => {
  const found: ListedPyramid[] = [];
  for await (const one of store.list(after, signal)) found.push(one);
  return found;
};

/**
 * The contract of every store of pyramids. `open` opens an empty place, and again the same one for
 * another server; `skipped` says why it is skipped.
 */
export const pyramidStoreContract = (
  kind: string,
  open: (() => Promise<() => Promise<PyramidStore>>) | { readonly skipped: string },
): void => {
  const skipped = typeof open === "function" ? undefined : open.skipped;
  const opened = async (): Promise<() => Promise<PyramidStore>> => {
    if (typeof open !== "function") throw new Error("Expected a place.");
    return open();
  };

  describe.skipIf(skipped !== undefined)(
    `pyramids in ${kind}${skipped ? ` (${skipped})` : ""}`,
    () => {
      it("are none at first", async () => {
        const store = await (await opened())();
        expect(await store.look(nameOf("a"), signal)).toBeUndefined();
        expect(await store.state(signal)).toEqual({ entries: 0, bytes: 0, failed: 0 });
        const nothing = { entries: 0, bytes: 0 };
        expect(await store.sweep({ maxBytes: 0, ttlMs: 0, signal })).toEqual(nothing);
        expect(await store.remove("a", signal)).toEqual(nothing);
        expect(await listedIn(store)).toEqual([]);
      });

      it("are read by another server, completely or by ranges", async () => {
        const again = await opened();
        const name = await putPyramid(await again(), "abcd", { bytes: 200_000 });
        const found = await (await again()).look(name, signal);
        if (found?.kind !== "ready") throw new Error("Expected a pyramid.");
        expect(found.pyramid.bytes).toBe(200_000);
        await useReader(await found.pyramid.object.open(signal), async (reader) => {
          const end = await reader.read(199_996, 10, signal);
          expect(Buffer.from(end).toString()).toBe("abcd");
          expect(await reader.read(0, 200_000, signal)).toHaveLength(200_000);
        });
        await found.pyramid.use();
        const [listed] = await listedIn(await again());
        expect(Date.now() - (listed?.usedMs ?? 0)).toBeLessThan(60_000);
      });

      it("are listed with their pages, and refusals with their reasons", async () => {
        const store = await (await opened())();
        for (const identifier of ["a", "b", "c"]) await putPyramid(store, identifier);
        await refusePyramid(store, "d");
        const listed = await listedIn(store);
        const names = ["a", "b", "c", "d"].map((one) => nameOf(one)).sort();
        expect(listed.map(({ name }) => name)).toEqual(names);
        for (const one of listed) {
          const facts = await store.facts(one, signal);
          expect(nameOf(facts?.identifier ?? "")).toBe(one.name);
          expect(facts).toMatchObject({ page: 1, size: { width: 300, height: 200 } });
          expect(facts?.reason).toBe(one.kind === "refusal" ? "It is corrupt." : undefined);
        }
        expect(await listedIn(store, names[1])).toEqual(listed.slice(2));
        expect(await store.look(nameOf("d"), signal)).toEqual({
          kind: "refused",
          reason: "It is corrupt.",
        });
      });

      it("replace a refusal", async () => {
        const store = await (await opened())();
        await refusePyramid(store, "a");
        const name = await putPyramid(store, "a");
        expect(await store.look(name, signal)).toMatchObject({ kind: "ready" });
        expect((await store.state(signal)).failed).toBe(0);
      });

      it("are removed by image, or all", async () => {
        const store = await (await opened())();
        for (const version of ["1", "2"]) await putPyramid(store, "a", { version });
        await putPyramid(store, "b");
        await refusePyramid(store, "a", "3");
        expect(await store.remove("a", signal)).toEqual({ entries: 2, bytes: 20 });
        expect(await store.state(signal)).toEqual({ entries: 1, bytes: 10, failed: 0 });
        expect(await store.remove(undefined, signal)).toEqual({ entries: 1, bytes: 10 });
        expect(await listedIn(store)).toEqual([]);
      });

      it("are not stored if they were purged while being made", async () => {
        const again = await opened();
        const store = await again();
        const name = nameOf("a");
        const lock = await store.lock(name, { isDone, signal });
        if (lock === undefined) throw new Error("Expected the lock.");
        const file = join(await temporaryFolder(), "made");
        await writeFile(file, "a pyramid");
        await (await again()).remove("a", signal);
        expect(await store.put({ name, file, facts: factsOf("a"), lock }, signal)).toBe(false);
        await lock.release();
        expect(await store.look(name, signal)).toBeUndefined();
        expect(await listedIn(store)).toEqual([]);
      });

      it("are made by one server at a time", async () => {
        const again = await opened();
        const [one, other] = [await again(), await again()];
        const name = nameOf("a");
        const first = await one.lock(name, { isDone, signal });
        const done = { isDone: async () => true, signal };
        expect(await other.lock(name, done)).toBeUndefined();
        await first?.release();
        const second = await other.lock(name, { isDone, signal });
        expect([await first?.isHeld(), await second?.isHeld()]).toEqual([false, true]);
        await second?.release();
      });

      it("are evicted until the rest fits", async () => {
        const store = await (await opened())();
        for (const identifier of ["a", "b", "c"]) await putPyramid(store, identifier);
        const removed = await store.sweep({ maxBytes: 20, ttlMs: 0, signal });
        expect(removed).toEqual({ entries: 1, bytes: 10 });
        expect(await store.state(signal)).toEqual({ entries: 2, bytes: 20, failed: 0 });
        expect(await listedIn(store)).toHaveLength(2);
      });
    },
  );
};
