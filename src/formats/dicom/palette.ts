import { fail } from "../../core/errors.ts";
import type { Attributes } from "./attributes.ts";
import { dicomTags as tags } from "./tags.ts";

/** The colours of stored values (PS3.3, C.7.6.3.1.5 and 6). */
export interface Palette {
  /** The stored value of the first colour. */
  readonly first: number;
  readonly depth: 8 | 16;
  readonly channels: readonly [Uint16Array, Uint16Array, Uint16Array];
}

/** Parses the palette; throws `unreadable` where it is missing or corrupt. */
export const readPalette = (attributes: Attributes, signed: boolean): Palette => {
  const channels = [
    channelOf(attributes, tags.redDescriptor, tags.redPalette, tags.redSegments),
    channelOf(attributes, tags.greenDescriptor, tags.greenPalette, tags.greenSegments),
    channelOf(attributes, tags.blueDescriptor, tags.bluePalette, tags.blueSegments),
  ] as const;
  const isDeep = channels.some(({ bits }) => bits > 8);
  // Some writers say sixteen bits and mean eight.
  const isUsed = channels.some(({ entries }) => entries.some((entry) => entry > 255));
  return {
    first: attributes.sixteen(tags.redDescriptor, signed, 1) ?? 0,
    depth: isDeep && isUsed ? 16 : 8,
    channels: [channels[0].entries, channels[1].entries, channels[2].entries],
  };
};

const channelOf = (
  attributes: Attributes,
  descriptor: number,
  data: number,
  segments: number,
): { readonly bits: number; readonly entries: Uint16Array } => {
  const count = attributes.sixteen(descriptor, false, 0);
  const bits = attributes.sixteen(descriptor, false, 2);
  if (count === undefined || bits === undefined || bits < 1 || bits > 16)
    return fail("unreadable", "The DICOM image uses palette colour but has no palette.");
  const length = count === 0 ? 65_536 : count;
  const words = attributes.words(data);
  if (words !== undefined && words.length >= length)
    return { bits, entries: words.subarray(0, length) };
  const bytes = attributes.bytes(data);
  if (bytes !== undefined && bytes.length >= length)
    return { bits, entries: Uint16Array.from(bytes.subarray(0, length)) };
  const segmented = attributes.words(segments);
  if (segmented === undefined)
    return fail("unreadable", `Expected a DICOM palette of ${length} entries; it has fewer.`);
  return { bits, entries: expanded(segmented, length) };
};

const segmentKinds = { discrete: 0, linear: 1, indirect: 2 };

/** Expands a segmented palette (PS3.3, C.7.9.2). */
const expanded = (words: Uint16Array, length: number): Uint16Array => {
  const entries = new Uint16Array(length);
  let filled = 0;
  const put = (value: number): void => {
    if (filled < length) entries[filled++] = value;
  };
  const line = (count: number, to: number): void => {
    const from = entries[filled - 1] ?? 0;
    for (let step = 1; step <= count; step++) put(Math.round(from + ((to - from) * step) / count));
  };
  /** Appends values or a line; returns the offset of the next segment. */
  const direct = (at: number): number => {
    const count = words[at + 1] ?? 0;
    if (words[at] === segmentKinds.linear) {
      line(count, words[at + 2] ?? 0);
      return at + 3;
    }
    if (words[at] !== segmentKinds.discrete)
      fail("unreadable", "Unknown segment type in a palette of the DICOM file.");
    for (const value of words.subarray(at + 2, at + 2 + count)) put(value);
    return at + 2 + count;
  };
  /** Repeats segments; these must not do so themselves. */
  const indirect = (at: number): number => {
    const offset = ((words[at + 2] ?? 0) | ((words[at + 3] ?? 0) << 16)) >>> 0;
    let from = offset >>> 1;
    for (let count = words[at + 1] ?? 0; count > 0 && filled < length; count--) from = direct(from);
    return at + 4;
  };
  for (let at = 0; at < words.length && filled < length; )
    at = words[at] === segmentKinds.indirect ? indirect(at) : direct(at);
  if (filled < length)
    fail("unreadable", `Expected a DICOM palette of ${length} entries; it has ${filled}.`);
  return entries;
};
