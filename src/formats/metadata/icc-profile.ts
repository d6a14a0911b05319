import { fail } from "../../core/errors.ts";
import { latin1, untilNul, utf16 } from "./text.ts";
import type { IccProfile } from "./values.ts";

const headerBytes = 128;
const maxTags = 1_024;
const maxLanguages = 256;
const longestName = 1_024;

/** Parses a profile's own description; throws `unreadable` where the block is not a profile. */
export const readIcc = (block: Buffer): IccProfile => {
  if (block.length < headerBytes + 4 || text(block, 36, 4) !== "acsp")
    fail("unreadable", "The ICC profile has an invalid header.");
  return {
    description: describe(tagIn(block, "desc")).trim(),
    colourSpace: text(block, 16, 4).trim(),
    connectionSpace: text(block, 20, 4).trim(),
    deviceClass: text(block, 12, 4).trim(),
    version: `${block[8]}.${(block[9] ?? 0) >> 4}`,
    bytes: block.length,
  };
};

const tagIn = (block: Buffer, name: string): Buffer | undefined => {
  const count = Math.min(block.readUInt32BE(headerBytes), maxTags);
  for (let index = 0; index < count; index++) {
    const at = headerBytes + 4 + index * 12;
    if (at + 12 > block.length) return undefined;
    if (text(block, at, 4) !== name) continue;
    const offset = block.readUInt32BE(at + 4);
    return block.subarray(offset, offset + block.readUInt32BE(at + 8));
  }
  return undefined;
};

/** A text of version 2, or of version 4 the English one, else the first. */
const describe = (tag: Buffer | undefined): string => {
  if (tag === undefined || tag.length < 16) return "";
  switch (text(tag, 0, 4)) {
    case "desc":
      return untilNul(text(tag, 12, Math.min(tag.readUInt32BE(8), longestName)));
    case "mluc":
      return inEnglish(tag);
    default:
      return "";
  }
};

const inEnglish = (tag: Buffer): string => {
  const count = Math.min(tag.readUInt32BE(8), maxLanguages, Math.floor((tag.length - 16) / 12));
  const places = Array.from({ length: count }, (_, index) => 16 + index * 12);
  const place = places.find((at) => text(tag, at, 2) === "en") ?? places[0];
  if (place === undefined) return "";
  const length = Math.min(tag.readUInt32BE(place + 4), longestName) & ~1;
  const offset = tag.readUInt32BE(place + 8);
  return untilNul(utf16(tag.subarray(offset, offset + length), false) ?? "");
};

const text = (bytes: Buffer, at: number, length: number): string =>
  latin1(bytes.subarray(at, at + length));
