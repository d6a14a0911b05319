import { fail } from "../../core/errors.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { ByteWindow } from "../containers/index.ts";
import type { Attributes } from "./attributes.ts";
import { dicomTags as tags } from "./tags.ts";

/** A range of the file. */
export interface Fragment {
  readonly offset: number;
  readonly length: number;
}

/** Locates the encoded bytes of frames. */
export interface FrameIndex {
  /** The fragments of a frame, counted from 0; throws `unreadable` where there is none. */
  fragmentsOf(
    frame: number,
    reader: RangeReader,
    signal: AbortSignal,
  ): Promise<readonly Fragment[]>;
  /** Approximate memory. */
  readonly bytes: number;
}

/** Maximum number of indexed frames: an offset takes 8 bytes. */
const maxFrames = 1_000_000;
const maxFragments = 2_000_000;

/** What is known before fragments are located. */
interface Ground {
  readonly reader: RangeReader;
  /** Offset of the first item of the pixel data. */
  readonly offset: number;
  readonly frames: number;
  readonly attributes: Attributes;
  readonly signal: AbortSignal;
}

/**
 * Builds an index of encapsulated pixels (PS3.5, A.4): from the extended offset table, else the
 * basic one, and without either by a walk through the fragments. Throws `unreadable` where there
 * are fewer frames than announced.
 */
export const indexFrames = async (ground: Ground): Promise<FrameIndex> => {
  const { reader, offset, frames, signal } = ground;
  if (frames > maxFrames)
    fail("unreadable", `Expected at most ${maxFrames} compressed DICOM frames, not ${frames}.`);
  const window = new ByteWindow(reader, reader.size, signal);
  const table = await itemAt(window, offset, reader.size);
  if (table === undefined) return noFragments();
  const first = table.offset + table.length;
  const extended = extendedTable(ground, first);
  if (extended !== undefined) return extended;
  if (table.length === frames * 4 && frames > 0) {
    const bytes = await window.at(table.offset, table.length);
    const basic = basicTable(bytes, { first, frames, size: reader.size });
    if (basic !== undefined) return basic;
  }
  return walked(ground, window, first);
};

const noFragments = (): never =>
  fail("unreadable", "The DICOM file has no fragments of compressed frames.");

/** The item at an offset; undefined where the sequence is over, or there is something else. */
const itemAt = async (
  window: ByteWindow,
  at: number,
  size: number,
): Promise<Fragment | undefined> => {
  const bytes = await window.at(at, 8);
  if (bytes.length < 8) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tag = view.getUint16(0, true) * 65_536 + view.getUint16(2, true);
  if (tag !== tags.item) return undefined;
  const length = view.getUint32(4, true);
  if (at + 8 + length > size)
    fail("unreadable", `Truncated DICOM fragment: expected ${length} bytes.`);
  return { offset: at + 8, length };
};

/** One fragment per frame, at a 64-bit offset. */
const extendedTable = (
  { attributes, frames, reader }: Ground,
  first: number,
): FrameIndex | undefined => {
  const offsets = attributes.bytes(tags.extendedOffsets);
  const lengths = attributes.bytes(tags.extendedLengths);
  if (offsets?.length !== frames * 8 || lengths?.length !== frames * 8) return undefined;
  return {
    bytes: frames * 16,
    fragmentsOf: async (frame) => {
      const offset = first + Number(offsets.readBigUInt64LE(frame * 8)) + 8;
      const length = Number(lengths.readBigUInt64LE(frame * 8));
      if (!(offset + length <= reader.size))
        fail("unreadable", `Frame ${frame + 1} of the DICOM file lies outside it.`);
      return [{ offset, length }];
    },
  };
};

/** Frames from one offset to the next; undefined where these are out of order. */
const basicTable = (
  bytes: Uint8Array,
  {
    first,
    frames,
    size,
  }: { readonly first: number; readonly frames: number; readonly size: number },
): FrameIndex | undefined => {
  if (bytes.length < frames * 4) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const starts = new Float64Array(frames);
  for (let frame = 0; frame < frames; frame++) {
    const start = first + view.getUint32(frame * 4, true);
    if (start >= size || (frame > 0 && start <= (starts[frame - 1] ?? 0))) return undefined;
    starts[frame] = start;
  }
  if (starts[0] !== first) return undefined;
  return {
    bytes: frames * 8,
    fragmentsOf: (frame, reader, signal) =>
      fragmentsBetween(starts[frame] ?? size, starts[frame + 1] ?? size, reader, signal),
  };
};

const maxOfFrame = 65_536;

const tooMany = (): never =>
  fail("unreadable", `Expected at most ${maxOfFrame} fragments of a DICOM frame.`);

const fragmentsBetween = async (
  from: number,
  to: number,
  reader: RangeReader,
  signal: AbortSignal,
): Promise<readonly Fragment[]> => {
  const window = new ByteWindow(reader, reader.size, signal);
  const fragments: Fragment[] = [];
  for (let at = from; at < to; ) {
    const fragment = await itemAt(window, at, reader.size);
    if (fragment === undefined) break;
    if (fragments.push(fragment) > maxOfFrame) tooMany();
    at = fragment.offset + fragment.length;
  }
  return fragments.length > 0 ? fragments : noFragments();
};

/**
 * Without a table: a fragment is a frame if there are as many, else frames begin where an image
 * begins.
 */
const walked = async (
  { reader, frames }: Ground,
  window: ByteWindow,
  first: number,
): Promise<FrameIndex> => {
  const fragments: Fragment[] = [];
  const starts: number[] = [];
  for (let at = first; ; ) {
    const fragment = await itemAt(window, at, reader.size);
    if (fragment === undefined) break;
    // An empty fragment at the end is padding.
    if (fragment.length > 0) {
      if (beginsPicture(await window.at(fragment.offset, 2))) starts.push(fragments.length);
      if (fragments.push(fragment) > maxFragments)
        fail("unreadable", `Expected at most ${maxFragments} fragments of DICOM frames.`);
    }
    at = fragment.offset + fragment.length;
  }
  if (fragments.length < frames)
    fail(
      "unreadable",
      `Expected ${frames} frames in the DICOM file; there are ${fragments.length} fragments.`,
    );
  const begin = beginnings(fragments.length, { frames, starts });
  return {
    bytes: fragments.length * 64,
    fragmentsOf: async (frame) => fragments.slice(begin[frame], begin[frame + 1]),
  };
};

const beginnings = (
  fragments: number,
  { frames, starts }: { readonly frames: number; readonly starts: readonly number[] },
): readonly number[] => {
  if (frames === 1) return [0];
  if (fragments === frames) return Array.from({ length: frames }, (_, frame) => frame);
  if (starts.length === frames) return starts;
  return fail(
    "unreadable",
    `Cannot split ${fragments} fragments into ${frames} frames: the DICOM file has no offset table.`,
  );
};

/** JPEG and JPEG-LS, or JPEG 2000. */
const beginsPicture = (bytes: Uint8Array): boolean =>
  bytes[0] === 0xff && (bytes[1] === 0xd8 || bytes[1] === 0x4f);

/** All bytes of a frame, in memory of their own; throws `unreadable` for more than `max`. */
export const readFragments = async (
  reader: RangeReader,
  fragments: readonly Fragment[],
  { max, signal }: { readonly max: number; readonly signal: AbortSignal },
): Promise<Uint8Array> => {
  if (fragments.length > maxOfFrame) tooMany();
  const length = fragments.reduce((sum, fragment) => sum + fragment.length, 0);
  if (length > max)
    fail("unreadable", `Expected a compressed DICOM frame of at most ${max} bytes, not ${length}.`);
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const fragment of fragments) {
    bytes.set(await reader.read(fragment.offset, fragment.length, signal), at);
    at += fragment.length;
  }
  return bytes;
};
