import { describe, expect, it } from "vitest";
import type { RequestContext } from "../../src/core/context.ts";
import { ServerError } from "../../src/core/errors.ts";
import { SourceChanged } from "../../src/core/range-reader.ts";
import type { ListedObject, Source, SourceObject } from "../../src/core/source.ts";

/** A context for tests that never aborts. */
export const contextOf = (identifier: string): RequestContext => ({
  requestId: "test",
  identifier,
  signal: new AbortController().signal,
});

/** A source under test. */
export interface SourceMade {
  readonly source: Source;
  /** An object of the source and its bytes. */
  readonly stored: { readonly identifier: string; readonly bytes: Uint8Array };
  /** Stores an object; absent where tests cannot. */
  readonly put?: (identifier: string, bytes: Uint8Array) => Promise<void>;
}

/** Identifiers that need escaping in URLs, statements or file names. */
const odd = [
  "a b.jpg",
  "ä/ö ü.tif",
  "画像.png",
  "100%.tif",
  "%2e%2e%2fa.tif",
  "a+b&c=d.tif",
  "what?.tif",
  "a#b.tif",
  'it\'s "quoted".tif',
  "$1;[x]*.tif",
];

/** Identifiers that lead out of a folder, or to something that is not an object. */
const none = ["../a.tif", "a/../../b.tif", "./a.tif", "a\0.tif", ".."];

const collect = async (parts: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const all: Uint8Array[] = [];
  for await (const part of parts) all.push(part);
  return Buffer.concat(all);
};

const isMissing = (error: unknown): boolean =>
  error instanceof ServerError && error.failure === "missing";

const { signal } = new AbortController();

/** All objects directly in a folder, listed in parts of so many entries. */
const listed = async (source: Source, folder: string, max: number) => {
  const found: ListedObject[] = [];
  const folders: string[] = [];
  let after: string | undefined;
  do {
    const part = (await source.list?.(folder, { after, max, signal })) ?? expect.fail();
    expect(part.entries.length).toBeLessThanOrEqual(max);
    for (const entry of part.entries)
      if (entry.kind === "object") found.push(entry);
      else folders.push(entry.path);
    after = part.next;
  } while (after !== undefined);
  return { objects: found, folders };
};

/** The contract of every source, wherever it stores images. `skipped` says why it is skipped. */
export const sourceContract = (
  name: string,
  make: (() => Promise<SourceMade>) | { readonly skipped: string },
): void => {
  if (typeof make === "function")
    describe(`${name} as a source`, () => {
      tests(make);
    });
  else describe.skip(`${name} as a source (${make.skipped})`, () => it("is not there", () => {}));
};

const tests = (make: () => Promise<SourceMade>): void => {
  const find = async (source: Source, identifier: string): Promise<SourceObject> =>
    source.find(identifier, contextOf(identifier));

  it("says `missing` of what is not there", async () => {
    const { source } = await make();
    await expect(find(source, "not/there.png")).rejects.toSatisfy(isMissing);
  });

  it("tells size and a version that stays while the object stays", async () => {
    const { source, stored } = await make();
    const first = await find(source, stored.identifier);
    const second = await find(source, stored.identifier);
    expect(first.size).toBe(stored.bytes.length);
    expect(first.version).not.toBe("");
    expect(second.version).toBe(first.version);
  });

  it("reads any range, and less only at the end", async () => {
    const { source, stored } = await make();
    const reader = await (await find(source, stored.identifier)).open();
    const end = stored.bytes.length;
    expect(Buffer.from(await reader.read(0, end))).toEqual(Buffer.from(stored.bytes));
    expect(Buffer.from(await reader.read(3, 5))).toEqual(Buffer.from(stored.bytes.subarray(3, 8)));
    expect(Buffer.from(await reader.read(end - 2, 100))).toEqual(
      Buffer.from(stored.bytes.subarray(end - 2)),
    );
    expect((await reader.read(end + 10, 4)).length).toBe(0);
    await reader.close();
  });

  it("streams the whole object", async () => {
    const { source, stored } = await make();
    const reader = await (await find(source, stored.identifier)).open();
    expect(await collect(reader.stream() as AsyncIterable<Buffer>)).toEqual(
      Buffer.from(stored.bytes),
    );
    await reader.close();
  });

  it("gives the whole object to be copied, where it has to be", async () => {
    const { source, stored } = await make();
    const { download, local } = await find(source, stored.identifier);
    if (local) return expect(download).toBeUndefined();
    const { length, body } = (await download?.(new AbortController().signal)) ?? expect.fail();
    expect(length).toBe(stored.bytes.length);
    expect(await collect(body)).toEqual(Buffer.from(stored.bytes));
  });

  it("serves nothing for identifiers that lead out of it", async () => {
    const { source } = await make();
    for (const identifier of none)
      await expect(find(source, identifier), identifier).rejects.toSatisfy(isMissing);
  });

  it("can be reached, where it can tell", async () => {
    const { source } = await make();
    if (source.reach) expect(await source.reach(new AbortController().signal)).toBe("there");
  });

  it("fails at once with the reason of whoever has left", async () => {
    const { source, stored } = await make();
    const left = { ...contextOf(stored.identifier), signal: AbortSignal.abort(new Error("left")) };
    const { local } = await find(source, stored.identifier);
    if (!local) await expect(source.find(stored.identifier, left)).rejects.toThrow("left");
  });

  it("knows objects by odd identifiers, letter for letter", async () => {
    const { source, put } = await make();
    if (put === undefined) return;
    for (const [at, identifier] of odd.entries())
      await put(identifier, new Uint8Array(at + 1).fill(at));
    for (const [at, identifier] of odd.entries()) {
      const object = await find(source, identifier);
      expect(object.size, identifier).toBe(at + 1);
      const reader = await object.open();
      expect(await reader.read(at, 1), identifier).toEqual(Uint8Array.of(at));
      await reader.close();
    }
  });

  it("knows an empty object", async () => {
    const { source, put } = await make();
    await put?.("empty.tif", new Uint8Array(0));
    if (put) expect((await find(source, "empty.tif")).size).toBe(0);
  });

  it("tells an object that was replaced by its version, and mixes no bytes of both", async () => {
    const { source, put } = await make();
    if (put === undefined) return;
    const size = 300_000;
    await put("replaced.tif", new Uint8Array(size).fill(1));
    const before = await find(source, "replaced.tif");
    const reader = await before.open();
    expect((await reader.read(0, 1))[0]).toBe(1);
    await put("replaced.tif", new Uint8Array(size).fill(2));
    const late = await reader.read(size - 10, 10).catch((error: unknown) => error);
    if (late instanceof Uint8Array) expect(late).toEqual(new Uint8Array(10).fill(1));
    else expect(late).toBeInstanceOf(SourceChanged);
    await reader.close();
    const after = await find(source, "replaced.tif");
    expect(after.version).not.toBe(before.version);
    const again = await after.open();
    expect(await again.read(size - 10, 10)).toEqual(new Uint8Array(10).fill(2));
    await again.close();
  });

  it("lists its objects by identifiers that find them, in parts of any size", async () => {
    const { source, put } = await make();
    if (put === undefined || source.list === undefined) return;
    const names = [
      "a.tif",
      "b c.tif",
      "ä.tif",
      "100%.tif",
      "deep/d.tif",
      "deep/er/e.tif",
      "e+.tif",
    ];
    for (const name of [...names, ".hidden.tif", ".hidden/a.tif"])
      await put(`listed/${name}`, new Uint8Array(3));
    const all = await listed(source, "listed", 100);
    expect(all.folders).toEqual(["listed/deep"]);
    expect(all.objects.map(({ name }) => name).sort()).toEqual(
      names.filter((name) => !name.includes("/")).sort(),
    );
    expect(await listed(source, "listed", 1)).toEqual(all);
    expect(await listed(source, "listed", 2)).toEqual(all);
    for (const { identifier, size = 3 } of all.objects)
      expect((await find(source, identifier)).size).toBe(size);
    const below = await listed(source, "listed/deep", 10);
    expect(below.objects).toMatchObject([{ name: "d.tif", identifier: "listed/deep/d.tif" }]);
    expect(below.folders).toEqual(["listed/deep/er"]);
  });

  it("does not list missing folders, or folders outside of it", async () => {
    const { source } = await make();
    if (source.list === undefined) return;
    for (const folder of ["no/folder", "..", "a/..", "/", "a//b", "a\0", "a/"])
      await expect(source.list(folder, { max: 10, signal }), folder).rejects.toSatisfy(isMissing);
  });

  it("refuses a foreign cursor, or continues from it safely", async () => {
    const { source } = await make();
    if (source.list === undefined) return;
    for (const after of ["", "\u{1}", "../..", "%00", "x".repeat(9_999), "1!2!a"]) {
      const part = await source.list("", { after, max: 10, signal }).catch((error: unknown) => {
        expect(error, after).toMatchObject({ failure: "malformed" });
        return undefined;
      });
      for (const { name } of part?.entries ?? []) expect(name, after).not.toMatch(/^\.|\//);
    }
  });

  it("reads parts of a large object, in any order and at the same time", async () => {
    const { source, put } = await make();
    if (put === undefined) return;
    const bytes = Uint8Array.from({ length: 9_000_001 }, (_, at) => (at * 31 + (at >> 8)) & 255);
    await put("large.tif", bytes);
    const object = await find(source, "large.tif");
    const reader = await object.open();
    const ranges = Array.from({ length: 12 }, (_, at) => [(at * 7_654_321) % 8_900_000, 70_000]);
    const read = await Promise.all(ranges.map(([from = 0, count = 0]) => reader.read(from, count)));
    for (const [at, [from = 0, count = 0]] of ranges.entries())
      expect(Buffer.compare(read[at] ?? Buffer.of(), bytes.subarray(from, from + count))).toBe(0);
    await reader.close();
    const { body } = (await object.download?.(new AbortController().signal)) ?? {};
    if (body) expect(Buffer.compare(await collect(body), bytes)).toBe(0);
  });
};
