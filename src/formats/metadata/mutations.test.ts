import { expect, test } from "vitest";
import { amount } from "../../../test/amount.ts";
import {
  avifWithAll,
  exifParts,
  gifWithAll,
  iccBlock,
  iptcBlock,
  jp2WithAll,
  jpegWithAll,
  photoshopBlock,
  pngWithAll,
  tiffOf,
  tiffWithAll,
  webpWithAll,
  xmpPacket,
} from "../../../test/metadata-files.ts";
import { type Random, random } from "../../../test/random.ts";
import { memoryReader } from "../../../test/readers.ts";
import type { FormatName } from "../../core/formats.ts";
import { readMetadata } from "../embedded-metadata.ts";
import { readExif } from "./exif.ts";
import { Findings } from "./findings.ts";
import { readIcc } from "./icc-profile.ts";
import { readIptc } from "./iptc.ts";
import { iptcInPhotoshop } from "./photoshop.ts";
import { readXmp } from "./xmp.ts";

const signal = new AbortController().signal;
const mutations = amount(5_000);
/** Far more than any of these files needs, far less than a loop would take. */
const maxReads = 2_048;

const mutate = (bytes: Uint8Array, { whole, one }: Random): Uint8Array => {
  const isCut = whole(1, 20) === 1;
  const copy = Uint8Array.from(bytes.subarray(0, isCut ? whole(0, bytes.length) : bytes.length));
  for (let change = whole(1, 6); change > 0; change--) {
    const at = whole(0, bytes.length - 1);
    if (at < copy.length) copy[at] = one([whole(0, 255), 0, 1, 2, 0x3c, 0x7f, 0x80, 0xfe, 0xff]);
  }
  return copy;
};

const subjects: readonly (readonly [string, FormatName, Uint8Array])[] = [
  ["JPEG", "jpg", jpegWithAll()],
  ["PNG", "png", pngWithAll()],
  ["TIFF", "tif", tiffWithAll()],
  ["BigTIFF", "tif", tiffWithAll({ big: true, littleEndian: true })],
  ["GIF", "gif", gifWithAll()],
  ["WebP", "webp", webpWithAll()],
  ["AVIF", "avif", avifWithAll()],
  ["JPEG 2000", "jp2", jp2WithAll()],
];

test.each(subjects)(
  "reading the metadata of a corrupt %s terminates with JSON values",
  async (_, format, bytes) => {
    const chance = random(subjects.findIndex((subject) => subject[2] === bytes) + 1);
    let damaged = 0;
    for (let round = 0; round < mutations; round++) {
      const reader = memoryReader(mutate(bytes, chance));
      let reads = 0;
      const metadata = await readMetadata(
        {
          ...reader,
          read: (offset, length) => {
            reads++;
            return reader.read(offset, length);
          },
        },
        { format },
        signal,
      );
      if (reads > maxReads) throw new Error(`There was no end to reading in round ${round}`);
      if (metadata.problems.length > 0) damaged++;
      // Structures that JSON does not preserve would not be equal.
      if (round % 50 === 0) expect(JSON.parse(JSON.stringify(metadata))).toEqual(metadata);
    }
    expect(damaged).toBeGreaterThan(mutations / 20);
  },
  300_000,
);

const blocks: readonly (readonly [
  string,
  Uint8Array,
  (block: Buffer, findings: Findings) => unknown,
])[] = [
  ["Exif", tiffOf(exifParts(true), { littleEndian: true }), readExif],
  ["IPTC", iptcBlock(), readIptc],
  ["Photoshop's resources", photoshopBlock(iptcBlock()), iptcInPhotoshop],
  ["XMP", Buffer.from(xmpPacket()), (block, findings) => readXmp(block, block, findings)],
  ["an ICC profile", iccBlock(), readIcc],
];

test.each(blocks)(
  "after corruption, %s is read or rejected as unreadable",
  async (_, bytes, read) => {
    const chance = random(bytes.length);
    let given = 0;
    for (let round = 0; round < mutations; round++) {
      const block = Buffer.from(mutate(bytes, chance));
      const findings = new Findings();
      const value = await findings.attempt(() => read(block, findings));
      if (value !== undefined) given++;
    }
    expect(given).toBeGreaterThan(0);
  },
  300_000,
);
