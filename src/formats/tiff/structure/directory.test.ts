import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memoryReader } from "../../../../test/readers.ts";
import { ServerError } from "../../../core/errors.ts";
import { complete, type Steps } from "../../../core/steps.ts";
import { type AssembledField, assembleTiff } from "./assembly.ts";
import { readNumbers } from "./directory.ts";
import { readPages } from "./pages.ts";
import { tags } from "./tags.ts";
import { readTiff } from "./walk.ts";

const signal = new AbortController().signal;

const short = (
  tag: number,
  littleEndian: boolean,
  ...values: readonly number[]
): AssembledField => {
  const bytes = new Uint8Array(values.length * 2);
  const view = new DataView(bytes.buffer);
  for (const [index, value] of values.entries()) view.setUint16(index * 2, value, littleEndian);
  return { tag, type: 3, count: values.length, bytes };
};

/** A grey image of 40 x 30 in tiles of 16. */
const small = (littleEndian: boolean): Uint8Array =>
  assembleTiff({
    littleEndian,
    width: 40,
    height: 30,
    tile: { width: 16, height: 16 },
    fields: [
      short(tags.bitsPerSample, littleEndian, 8),
      short(tags.compression, littleEndian, 1),
      short(tags.photometric, littleEndian, 1),
      short(tags.samplesPerPixel, littleEndian, 1),
    ],
    lengths: Array.from({ length: 6 }, () => 256),
  }).file;

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly subfile?: number;
}

/** The sizes of a directory's parts, and the width of its offsets. */
const classic = { version: 42, start: 8, count: 2, entry: 12, offset: 4 };
const bigTiff = { version: 43, start: 16, count: 8, entry: 20, offset: 8 };
const fieldsEach = 6;

/** Consecutive little-endian directories; the last one links to `loopTo`. */
const chain = (
  pictures: readonly Picture[],
  { big = false, loopTo }: { readonly big?: boolean; readonly loopTo?: number } = {},
): Uint8Array => {
  const shape = big ? bigTiff : classic;
  const size = shape.count + fieldsEach * shape.entry + shape.offset;
  const bytes = new Uint8Array(shape.start + pictures.length * size + 64);
  const view = new DataView(bytes.buffer);
  const offset = (at: number, value: number): void =>
    big ? view.setBigUint64(at, BigInt(value), true) : view.setUint32(at, value, true);
  view.setUint16(0, 0x4949);
  view.setUint16(2, shape.version, true);
  view.setUint16(4, 8, true);
  offset(shape.start - shape.offset, shape.start);
  for (const [index, picture] of pictures.entries()) {
    const at = shape.start + index * size;
    view.setUint16(at, fieldsEach, true);
    for (const [field, [tag, value]] of fieldsOf(picture).entries()) {
      const entry = at + shape.count + field * shape.entry;
      view.setUint16(entry, tag, true);
      view.setUint16(entry + 2, 4, true);
      offset(entry + 4, 1);
      view.setUint32(entry + 4 + shape.offset, value, true);
    }
    const next = index + 1 < pictures.length ? index + 1 : loopTo;
    offset(at + size - shape.offset, next === undefined ? 0 : shape.start + next * size);
  }
  return bytes;
};

const fieldsOf = ({ width, height, subfile = 0 }: Picture): (readonly [number, number])[] => [
  [tags.newSubfileType, subfile],
  [tags.imageWidth, width],
  [tags.imageLength, height],
  [tags.photometric, 1],
  [tags.stripOffsets, 8],
  [tags.stripByteCounts, 8],
];

const run = <T>(bytes: Uint8Array, work: () => Steps<T>): Promise<T> =>
  complete(work(), memoryReader(bytes), signal);

const levelsOf = async (bytes: Uint8Array): Promise<number[][]> => {
  const pages = await run(bytes, function* () {
    return yield* readPages(yield* readTiff(bytes.length));
  });
  return pages.map((page) => page.map(({ size }) => size.width));
};

describe("TIFF directories", () => {
  test.each([true, false])("are read in either byte order (little endian: %s)", async (order) => {
    const bytes = small(order);
    const file = await run(bytes, () => readTiff(bytes.length));
    const entry = file.directories[0]?.entries.get(tags.tileByteCounts);
    if (entry === undefined) throw new Error("Expected lengths of tiles");
    const numbers = readNumbers(file, entry, { from: 1, to: 3 });
    expect(await run(bytes, () => numbers)).toEqual([256, 256]);
  });

  test.each([false, true])("form chains (BigTIFF: %s)", async (big) => {
    const bytes = chain(
      [
        { width: 50, height: 20 },
        { width: 51, height: 20 },
      ],
      { big },
    );
    expect(await levelsOf(bytes)).toEqual([[50], [51]]);
  });

  test("are rejected when they form a loop", async () => {
    const bytes = chain(
      [
        { width: 50, height: 20 },
        { width: 51, height: 20 },
      ],
      { loopTo: 0 },
    );
    await expect(levelsOf(bytes)).rejects.toThrow(/form a loop/);
  });

  test("are rejected when they overlap", async () => {
    const bytes = chain([
      { width: 50, height: 20 },
      { width: 51, height: 20 },
    ]);
    // The first directory's link, to two bytes into itself.
    new DataView(bytes.buffer).setUint32(8 + 2 + 6 * 12, 10, true);
    await expect(levelsOf(bytes)).rejects.toThrow(/overlap|fields in a TIFF directory/);
  });

  test("are rejected when they claim more strips than the file could list", async () => {
    const bytes = chain([{ width: 4_000_000_000, height: 4_000_000_000 }]);
    const view = new DataView(bytes.buffer);
    // Four billion strips of one row.
    view.setUint16(8 + 2 + 3 * 12, tags.rowsPerStrip, true);
    await expect(levelsOf(bytes)).rejects.toThrow(ServerError);
  });
});

describe("the levels of a page", () => {
  test("are directories marked as reduced, skipping masks between them", async () => {
    const bytes = chain([
      { width: 801, height: 600 },
      { width: 801, height: 600, subfile: 4 },
      { width: 400, height: 300, subfile: 1 },
      { width: 400, height: 300, subfile: 5 },
      { width: 200, height: 150, subfile: 1 },
    ]);
    expect(await levelsOf(bytes)).toEqual([[801, 400, 200]]);
  });

  test("are unmarked directories only if each is half the size of the previous one", async () => {
    const sizes = [800, 400, 200, 100].map((width) => ({ width, height: width / 2 }));
    expect(await levelsOf(chain(sizes))).toEqual([[800, 400, 200, 100]]);
    const other = [...sizes, { width: 90, height: 45 }];
    expect(await levelsOf(chain(other))).toEqual([[800], [400], [200], [100], [90]]);
  });

  test("exclude a directory marked as reduced but of another shape", async () => {
    const bytes = chain([
      { width: 2220, height: 2967 },
      { width: 574, height: 768 },
      { width: 387, height: 463, subfile: 1 },
    ]);
    expect(await levelsOf(bytes)).toEqual([[2220], [574], [387]]);
  });
});

test("two thousand corrupt TIFFs give directories or are rejected as unreadable", async () => {
  const originals = [
    small(true),
    small(false),
    chain([
      { width: 8, height: 8 },
      { width: 4, height: 4, subfile: 1 },
    ]),
    chain(
      [
        { width: 8, height: 8 },
        { width: 4, height: 4, subfile: 1 },
      ],
      { big: true },
    ),
  ];
  const damage = fc.record({
    which: fc.nat(originals.length - 1),
    changes: fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { minLength: 1, maxLength: 12 }),
    kept: fc.integer({ min: 8, max: 2_000 }),
  });
  await fc.assert(
    fc.asyncProperty(damage, async ({ which, changes, kept }) => {
      const bytes = Uint8Array.from(originals[which] ?? []).subarray(0, kept);
      for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
      try {
        const levels = await levelsOf(bytes);
        expect(levels.flat().every((width) => width > 0)).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(ServerError);
        expect((error as ServerError).failure).toBe("unreadable");
      }
    }),
    { numRuns: 2_000 },
  );
});
