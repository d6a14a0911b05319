import { describe, expect, it } from "vitest";
import type { GalleryEntry } from "./entries.ts";
import { NameIndex } from "./name-index.ts";
import { wordsOf } from "./words.ts";

const image = (identifier: string): GalleryEntry => ({
  kind: "image",
  name: identifier.slice(identifier.lastIndexOf("/") + 1),
  identifier,
});
const folder = (path: string): GalleryEntry => ({
  kind: "folder",
  name: path.slice(path.lastIndexOf("/") + 1),
  path,
});

const entries = [
  folder("maps"),
  image("Zürich.tif"),
  image("a.tif"),
  folder("maps/old"),
  image("maps/Paris 1750.tif"),
  image("maps/Paris.tif"),
  image("maps/old/Zurich.tif"),
];

const filled = (maxNames = 100): NameIndex => {
  const index = new NameIndex(maxNames);
  index.add(entries.slice(0, 3));
  index.add(entries.slice(3));
  return index;
};

const search = (text: string, from = 0, index = filled()): readonly string[] =>
  [...index.find(wordsOf(text), from)].map(({ entry }) =>
    entry.kind === "folder" ? `${entry.path}/` : entry.identifier,
  );

describe("an index of names", () => {
  it("finds folders and images by parts of names, without case and accents", () => {
    expect(search("ZURICH")).toEqual(["Zürich.tif", "maps/old/Zurich.tif"]);
    expect(search("zür")).toEqual(["Zürich.tif", "maps/old/Zurich.tif"]);
    expect(search("old")).toEqual(["maps/old/"]);
  });

  it("finds names that contain all words, in any order", () => {
    expect(search("1750 paris")).toEqual(["maps/Paris 1750.tif"]);
    expect(search("1750 zurich")).toEqual([]);
  });

  it("finds words in names of folders, but needs one in the entry's own name", () => {
    expect(search("maps paris")).toEqual(["maps/Paris 1750.tif", "maps/Paris.tif"]);
    expect(search("maps")).toEqual(["maps/"]);
    expect(search("maps old")).toEqual(["maps/old/"]);
  });

  it("continues after each entry that it found", () => {
    const index = filled();
    const all = [...index.find(wordsOf("tif"), 0)];
    expect(all).toHaveLength(5);
    for (const [at, { next }] of all.entries())
      expect([...index.find(wordsOf("tif"), next)]).toEqual(all.slice(at + 1));
  });

  it("finds entries that are added during a search", () => {
    const index = filled();
    const found = index.find(wordsOf("zurich"), 0);
    expect(found.next().value?.entry).toEqual(entries[1]);
    index.add([image("Zurich/Zurich.jpg")]);
    expect([...found].map(({ entry }) => entry)).toEqual([entries[6], image("Zurich/Zurich.jpg")]);
  });

  it("has at most the maximum number of names", () => {
    const index = filled(4);
    expect(index.size).toBe(4);
    expect(index.isFull).toBe(true);
    expect(search("tif", 0, index)).toEqual(["Zürich.tif", "a.tif"]);
    index.add(entries);
    expect(index.size).toBe(4);
  });
});
