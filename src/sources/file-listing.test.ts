import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silent } from "../core/log.ts";
import type { ListingOptions, Source } from "../core/source.ts";
import { createFolderLister } from "./file-listing.ts";
import { createFileLookup } from "./file-lookup.ts";
import { walkSource } from "./walking.ts";

let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "vitrine-listing-"));
  for (const folder of ["images/maps/old", "images/empty", "images/.hidden", "beside"])
    await mkdir(join(home, folder), { recursive: true });
  const files = ["a10.tif", "a2.tif", ".secret.tif", "b.jpg", "maps/c.tif", "maps/old/d.tif"];
  for (const file of files) await writeFile(join(home, "images", file), "x");
  await writeFile(join(home, "beside", "outside.tif"), "x");
  await symlink(join(home, "beside", "outside.tif"), join(home, "images", "out.tif"));
  await symlink(join(home, "images", "b.jpg"), join(home, "images", "in.jpg"));
  await symlink(join(home, "images"), join(home, "images", "maps", "circle"));
});

afterAll(() => rm(home, { recursive: true, force: true }));

interface Changes {
  readonly prefix?: string;
  readonly suffix?: string;
  readonly follow?: boolean;
}

const source = ({ prefix, suffix = "", follow = false }: Changes = {}): Source => {
  const list = createFolderLister(createFileLookup(silent));
  const rules = { prefix: prefix ?? join(home, "images/"), suffix, follow };
  return {
    find: () => Promise.reject(new Error("Nothing is looked up here.")),
    list: (folder, options) => list(folder, rules, options),
  };
};

const { signal } = new AbortController();

const list = async (
  folder: string,
  options: Partial<ListingOptions> = {},
  changes: Changes = {},
): Promise<unknown> => {
  const part = await source(changes).list?.(folder, { max: 100, signal, ...options });
  return part?.entries.map((entry) =>
    entry.kind === "folder" ? `${entry.path}/` : entry.identifier,
  );
};

describe("a folder's listing", () => {
  it("has folders first, then files in natural order, without hidden ones and external links", async () => {
    expect(await list("")).toEqual(["empty/", "maps/", "a2.tif", "a10.tif", "b.jpg", "in.jpg"]);
  });

  it("lists the contents of a folder by their whole path, without links to folders", async () => {
    expect(await list("maps")).toEqual(["maps/old/", "maps/c.tif"]);
    expect(await list("empty")).toEqual([]);
  });

  it("has external links if they are followed", async () => {
    expect(await list("", {}, { follow: true })).toContain("out.tif");
  });

  it("has identifiers without the suffix, and no files without it", async () => {
    expect(await list("", {}, { suffix: ".tif" })).toEqual(["empty/", "maps/", "a2", "a10"]);
  });

  it("comes in consecutive parts, even if a file was removed in between", async () => {
    await writeFile(join(home, "images", "a3.tif"), "x");
    const first = await source().list?.("", { max: 4, signal });
    expect(first?.entries.map(({ name }) => name)).toEqual(["empty", "maps", "a2.tif", "a3.tif"]);
    await rm(join(home, "images", "a3.tif"));
    const second = await source().list?.("", { max: 4, signal, after: first?.next });
    expect(second?.entries.map(({ name }) => name)).toEqual(["a10.tif", "b.jpg", "in.jpg"]);
    expect(second?.next).toBeUndefined();
  });

  it.each(["..", "maps/..", "../beside", "/", "maps/", "a//b", "missing", "b.jpg", "a\0"])(
    "is missing for '%s'",
    async (folder) => {
      await expect(list(folder)).rejects.toMatchObject({ failure: "missing" });
    },
  );

  it.each(["", "/", "a/b"])("refuses '%s' as the cursor of the previous part", async (after) => {
    await expect(list("", { after })).rejects.toMatchObject({ failure: "malformed" });
  });

  it("is absent if the prefix includes the start of file names", async () => {
    expect(await list("", {}, { prefix: join(home, "images", "a") })).toBeUndefined();
  });
});

describe("walking a source", () => {
  const walk = async (folder: string, made: Source): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const { identifier } of walkSource(made, { folder, signal })) found.push(identifier);
    return found;
  };

  it("finds all objects in a folder and its subfolders", async () => {
    expect(await walk("", source())).toEqual([
      "maps/old/d.tif",
      "maps/c.tif",
      "a2.tif",
      "a10.tif",
      "b.jpg",
      "in.jpg",
    ]);
    expect(await walk("maps", source())).toEqual(["maps/old/d.tif", "maps/c.tif"]);
  });

  it("reports why a source cannot be walked", async () => {
    const { list: _, ...unlisted } = source();
    await expect(walk("", unlisted)).rejects.toMatchObject({
      failure: "unimplemented",
      message: expect.stringContaining("cannot be listed"),
    });
  });
});
