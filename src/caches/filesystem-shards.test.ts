import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { evict } from "./filesystem-evict.ts";
import {
  fileOf,
  folderOf,
  foldersOf,
  imageTree,
  infoTree,
  levelsOf,
  placeOf,
  places,
} from "./filesystem-paths.ts";
import { largestEntry, shardsOf } from "./filesystem-shards.ts";

const MB = 2 ** 20;
const GB = 2 ** 30;

describe("the shards of a cache in the file system", () => {
  it.each([
    [{ bytes: 0, entries: 0 }, 1],
    [{ bytes: 1, entries: 0 }, 1],
    [{ bytes: 127 * MB, entries: 0 }, 1],
    [{ bytes: 256 * MB, entries: 0 }, 4],
    [{ bytes: 1_000 * MB, entries: 0 }, 8],
    [{ bytes: 16 * GB, entries: 0 }, 256],
    [{ bytes: 1_000 * GB, entries: 0 }, 256],
    [{ bytes: 16 * GB, entries: 20 }, 1],
    [{ bytes: 0, entries: 100_000 }, 16],
  ])("for %o are %i", (bounds, count) => {
    expect(shardsOf(bounds, 4_096)).toBe(count);
  });

  it("are no more than there are folders", () => {
    expect(shardsOf({ bytes: 16 * GB, entries: 0 }, foldersOf(levelsOf(1, 1)))).toBe(16);
    expect(shardsOf({ bytes: 16 * GB, entries: 0 }, foldersOf(levelsOf(0, 2)))).toBe(1);
  });

  it("accept no entries that would evict most of a small cache or all of a shard", () => {
    expect(largestEntry({ bytes: 100 * MB, entries: 0 }, 4_096)).toBe(25 * MB);
    expect(largestEntry({ bytes: 16 * GB, entries: 0 }, 4_096)).toBeLessThan(64 * MB);
    expect(largestEntry({ bytes: 16 * GB, entries: 0 }, 4_096)).toBeGreaterThan(60 * MB);
    expect(largestEntry({ bytes: 0, entries: 9 }, 4_096)).toBe(Number.POSITIVE_INFINITY);
  });

  it.each([0, 1, 2, 3])(
    "have each entry in one of them, with folders of %i levels",
    async (depth) => {
      const root = await temporaryFolder();
      const names = Array.from({ length: 200 }, (_, n) => {
        const hex = n.toString(16).padStart(32, "0");
        return n % 4 === 0 ? `info/${hex}` : `image/${hex}/${hex}`;
      });
      for (const name of names) {
        const path = join(root, folderOf(name, levelsOf(depth, 1)), fileOf(name));
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, "x");
      }
      const count = Math.min(16, 16 ** depth);
      for (let n = 0; n < count; n++) {
        const range = { from: (n * places) / count, to: ((n + 1) * places) / count };
        const { kept } = await evict(root, {
          trees: [imageTree, infoTree],
          range,
          beforeMs: 0,
          mayStay: (found) => found,
          nowMs: Date.now(),
          signal: new AbortController().signal,
        });
        const here = names.map(placeOf).filter((at) => at >= range.from && at < range.to);
        expect(kept).toEqual({ entries: here.length, bytes: here.length });
      }
    },
  );
});

describe("the folders of a cache", () => {
  it.each([
    [3, 2, [2, 1]],
    [3, 1, [1, 1, 1]],
    [2, 2, [2, 1]],
    [1, 2, [2]],
    [8, 8, [3]],
    [0, 2, []],
  ])("for a depth of %i and names of %i digits have %j", (depth, length, levels) => {
    expect(levelsOf(depth, length)).toEqual(levels);
  });
});
