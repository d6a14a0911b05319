import { describe, expect, it, vi } from "vitest";
import { fail } from "../core/errors.ts";
import type { Listing, ListingOptions, Source } from "../core/source.ts";
import { createGallery, type Gallery, type GalleryParts } from "./gallery.ts";

type Folders = Readonly<Record<string, readonly string[]>>;

/** A source of folders; names that end with a slash are folders, too. */
const sourceOf = (folders: Folders): Pick<Source, "list"> => ({
  async list(folder: string, { after = "0", max }: ListingOptions): Promise<Listing> {
    const names = folders[folder] ?? fail("missing", "There is no such prefix.");
    if (names.includes("!")) return fail("upstream", "The storage did not answer.");
    if (names.includes("?")) return fail("denied", "It may not be read.");
    const from = Number(after);
    const entries = names.slice(from, from + max).map((name) => {
      const path = `${folder === "" ? "" : `${folder}/`}${name.replace("/", "")}`;
      return name.endsWith("/")
        ? ({ kind: "folder", name: name.slice(0, -1), path } as const)
        : ({ kind: "object", name, identifier: path } as const);
    });
    return { entries, ...(from + max < names.length ? { next: String(from + max) } : {}) };
  },
});

const made = (source: Pick<Source, "list">, parts: Partial<GalleryParts> = {}): Gallery =>
  createGallery({
    source,
    isImage: () => (name) => name.endsWith(".tif"),
    maxNames: () => 1_000,
    ...parts,
  });

const { signal } = new AbortController();
const options = { from: 0, max: 100, signal };
const paths = (part: { readonly entries: Awaited<ReturnType<Gallery["search"]>>["entries"] }) =>
  part.entries.map((entry) => (entry.kind === "folder" ? `${entry.path}/` : entry.identifier));

const folders: Folders = {
  "": ["maps/", "secret/", "a.tif", "a.txt", "b.tif"],
  maps: ["old/", "a.tif"],
  "maps/old": ["a.tif", "c.tif"],
  secret: ["?"],
};

describe("a gallery", () => {
  it("lists folders and images, but no other files", async () => {
    const part = await made(sourceOf(folders)).list("", { max: 4, signal });
    expect(part && paths(part)).toEqual(["maps/", "secret/", "a.tif"]);
    expect(part?.next).toBe("4");
  });

  it("reports missing folders in its own words", async () => {
    const listing = made(sourceOf(folders)).list("nowhere", { max: 4, signal });
    await expect(listing).rejects.toMatchObject({
      failure: "missing",
      message: "There is no folder 'nowhere'.",
    });
  });

  it("searches all folders, breadth first", async () => {
    const gallery = made(sourceOf(folders));
    const part = await gallery.search("a", options);
    expect(part.state).toBe("read");
    expect(paths(part)).toEqual(["maps/", "a.tif", "maps/a.tif", "maps/old/a.tif"]);
    const first = await gallery.search("tif", { ...options, max: 2 });
    expect(paths(first)).toEqual(["a.tif", "b.tif"]);
    const second = await gallery.search("tif", { ...options, from: first.next ?? 0 });
    expect(paths(second)).toEqual(["maps/a.tif", "maps/old/a.tif", "maps/old/c.tif"]);
    expect(second.next).toBeUndefined();
  });

  it("reports if not all names are searched", async () => {
    const bounded = await made(sourceOf(folders), { maxNames: () => 3 }).search("tif", options);
    expect(bounded).toMatchObject({ state: "bounded" });
    expect(paths(bounded)).toEqual(["a.tif"]);
    const broken = sourceOf({ "": ["maps/", "a.tif"], maps: ["!"] });
    const failed = await made(broken).search("tif", options);
    expect(failed).toMatchObject({ state: "failed" });
    expect(paths(failed)).toEqual(["a.tif"]);
  });

  it("finds names that have been read while others are still being read", async () => {
    let go: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { list } = sourceOf(folders);
    const slow: Pick<Source, "list"> = {
      list: async (folder, wanted) => {
        if (folder === "maps") await released;
        return list?.(folder, wanted);
      },
    };
    const gallery = made(slow);
    const first = await gallery.search("a.tif", options);
    expect(first).toMatchObject({ state: "reading" });
    expect(paths(first)).toEqual(["a.tif"]);
    go();
    await vi.waitFor(async () => {
      const rest = await gallery.search("a.tif", { ...options, from: first.next ?? 0 });
      expect(rest.state).toBe("read");
      expect(paths(rest)).toEqual(["maps/a.tif", "maps/old/a.tif"]);
    });
  });

  it("rereads old names, and searches the old ones in the meantime", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      let now: Folders = { "": ["a.tif"] };
      const gallery = made({
        list: (folder, wanted) => sourceOf(now).list?.(folder, wanted) ?? fail("internal", ""),
      });
      expect(paths(await gallery.search("tif", options))).toEqual(["a.tif"]);
      now = { "": ["b.tif"] };
      expect(paths(await gallery.search("tif", options))).toEqual(["a.tif"]);
      vi.advanceTimersByTime(61_000);
      expect(paths(await gallery.search("tif", options))).toEqual(["a.tif"]);
      await vi.waitFor(async () =>
        expect(paths(await gallery.search("tif", options))).toEqual(["b.tif"]),
      );
    } finally {
      vi.useRealTimers();
    }
  });

  it("is empty if the source cannot be listed", async () => {
    const gallery = made({});
    expect(gallery.isListable).toBe(false);
    expect(await gallery.list("", { max: 10, signal })).toBeUndefined();
  });
});
