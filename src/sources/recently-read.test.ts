import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RecentlyRead } from "./recently-read.ts";

describe("recently read blocks", () => {
  it("cover a range only if all of it was read", () => {
    const recentlyRead = new RecentlyRead(100_000);
    expect(recentlyRead.has(0, 1)).toBe(false);
    recentlyRead.note(20_000, 100);
    expect(recentlyRead.has(20_000, 100)).toBe(true);
    expect(recentlyRead.has(16_384, 16_384)).toBe(true);
    expect(recentlyRead.has(16_383, 2)).toBe(false);
    expect(recentlyRead.has(32_767, 2)).toBe(false);
    recentlyRead.note(32_768, 1);
    expect(recentlyRead.has(32_767, 2)).toBe(true);
    recentlyRead.clear();
    expect(recentlyRead.has(20_000, 100)).toBe(false);
  });

  it("never include unread data, whatever the file's size", () => {
    const parts = fc.array(
      fc.record({ at: fc.nat(9_999), length: fc.integer({ min: 1, max: 99 }) }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 50 }), parts, (size, read) => {
        const recentlyRead = new RecentlyRead(size);
        const place = (at: number): number => Math.floor((size / 10_000) * at);
        for (const { at, length } of read)
          recentlyRead.note(place(at), Math.min(length, size - place(at)));
        for (const { at, length } of read)
          expect(recentlyRead.has(place(at), Math.min(length, size - place(at)))).toBe(true);
        if (read.length === 0) expect(recentlyRead.has(0, 1)).toBe(false);
      }),
    );
  });
});
