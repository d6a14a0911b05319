import { fail } from "../../core/errors.ts";
import { area, type Rect } from "../../core/geometry.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import type { Codestream } from "../jpeg2000/codestream/index.ts";
import { bytesOf, type Codestreams, readFile } from "../jpeg2000/file/index.ts";
import { ByteCache } from "../shared/index.ts";
import type { Description } from "./description.ts";
import { type Fragment, readFragments } from "./fragments.ts";
import { partOf, partOfPlanes } from "./frame-values.ts";
import type { FrameJob, FrameSamples } from "./job.ts";
import { jpegPart } from "./jpeg-frame.ts";
import { readNative } from "./native.ts";
import { type OpenedDicom, pixelSource, readerOf } from "./opened.ts";
import type { StoredPart } from "./stored.ts";
import type { FrameThreads } from "./threads.ts";

/** The dependencies of reading part of a frame. */
export interface FrameWanted {
  /** Counted from 0. */
  readonly frame: number;
  /** In pixels of the frame, inside it. */
  readonly region: Rect;
  readonly signal: AbortSignal;
}

/** Limits of reading frames. */
export interface FrameLimits {
  /** Maximum bytes of a frame, encoded or decoded. */
  readonly max: number;
  readonly seconds: number;
}

/** Reads stored values; frames that have to be decoded whole are cached. */
export interface FrameReader {
  read(reader: RangeReader, file: OpenedDicom, wanted: FrameWanted): Promise<StoredPart>;
}

/** Maximum bytes of cached decoded frames; one may take a quarter of it. */
const maxKept = 134_217_728;

/** Approximate memory of a codestream's header in bytes. */
const headerBytes = 8_192;
const maxHeaders = 4_194_304;

interface OpenedCodestream {
  readonly codestream: Codestream;
  /** Its input: the file, or the frame's bytes where these are in several fragments. */
  readonly bytes: Uint8Array | undefined;
}

/** Creates the frame reader, with threads and the decoder for JPEG 2000. */
export const createFrameReader = (
  { open: openCodestream, decoder }: Codestreams,
  threads: FrameThreads,
  limits: () => FrameLimits,
): FrameReader => {
  const decoded = new ByteCache<string, StoredPart>(maxKept);
  const codestreams = new ByteCache<string, OpenedCodestream>(maxHeaders);
  const names = new WeakMap<OpenedDicom, number>();
  let last = 0;
  const keyOf = (file: OpenedDicom, frame: number): string => {
    const name = names.get(file) ?? ++last;
    names.set(file, name);
    return `${name} ${frame}`;
  };

  const codedBytes = async (
    reader: RangeReader,
    { pixels }: OpenedDicom,
    { frame, signal }: FrameWanted,
  ): Promise<Uint8Array> => {
    if (pixels.coding === "native") return fail("internal", "Expected a coded frame.");
    const fragments = await pixels.index.fragmentsOf(frame, reader, signal);
    return readFragments(reader, fragments, { max: limits().max, signal });
  };

  const wholeFrame = async (
    reader: RangeReader,
    file: OpenedDicom,
    wanted: FrameWanted,
  ): Promise<StoredPart> => {
    const key = keyOf(file, wanted.frame);
    const before = decoded.get(key);
    if (before !== undefined) return before;
    const { description } = file;
    const { size, samples, allocated } = description;
    checkCost(description, limits().max);
    const { coding } = file.pixels;
    const bytes = await codedBytes(reader, file, wanted);
    const job: Omit<FrameJob, "coding"> = {
      bytes,
      ...size,
      samples,
      bytesPerSample: allocated / 8,
    };
    const run = (kind: FrameJob["coding"]): Promise<FrameSamples> =>
      threads.run({ ...job, coding: kind }, wanted.signal);
    const part =
      coding === "rle"
        ? partOf(await run("rle"), description, { isCut: false })
        : coding === "jpegls"
          ? partOf(await run("jpegls"), description, { isCut: true })
          : await jpegPart(bytes, description, { seconds: limits().seconds, run });
    decoded.set(key, part, part.values.byteLength);
    return part;
  };

  const codestreamOf = async (
    reader: RangeReader,
    file: OpenedDicom,
    wanted: FrameWanted,
  ): Promise<OpenedCodestream> => {
    const key = keyOf(file, wanted.frame);
    const before = codestreams.get(key);
    if (before !== undefined) return before;
    const { pixels } = file;
    if (pixels.coding === "native") return fail("internal", "Expected a coded frame.");
    const { frame, signal } = wanted;
    const fragments = await pixels.index.fragmentsOf(frame, reader, signal);
    const [first] = fragments;
    const isPlain =
      fragments.length === 1 && first !== undefined && (await isBare(reader, first, signal));
    const bytes = isPlain ? undefined : await codedBytes(reader, file, wanted);
    const source = bytes === undefined ? reader : readerOf(bytes);
    // Some writers leave the JP2 boxes around the codestream.
    const place = isPlain ? first : (await readFile(bytesOf(source, signal))).place;
    const codestream = await openCodestream(source, place, signal);
    const now = { codestream, bytes };
    codestreams.set(key, now, headerBytes + codestream.bytes + (bytes?.length ?? 0));
    return now;
  };

  const jpeg2000Part = async (
    reader: RangeReader,
    file: OpenedDicom,
    wanted: FrameWanted,
  ): Promise<StoredPart> => {
    const { description } = file;
    const { codestream, bytes } = await codestreamOf(reader, file, wanted);
    const { image, components } = codestream.header;
    const isRight =
      image.width === description.size.width &&
      image.height === description.size.height &&
      components.length >= description.samples;
    if (!isRight || components.some(({ dx, dy }) => dx !== 1 || dy !== 1))
      fail("unreadable", "Expected a JPEG 2000 with the size and components of its DICOM frame.");
    checkCost({ ...description, size: wanted.region }, limits().max);
    const { planes } = await decoder.decodeRegion({
      codestream,
      reader: bytes === undefined ? reader : readerOf(bytes),
      region: wanted.region,
      reduce: 0,
      components: Array.from({ length: description.samples }, (_, index) => index),
      signal: wanted.signal,
    });
    return partOfPlanes(planes, description, {
      region: wanted.region,
      transformed: codestream.header.transformed,
    });
  };

  return {
    async read(from, file, wanted) {
      const reader = pixelSource(from, file);
      const { pixels, description } = file;
      if (pixels.coding === "native") {
        checkCost({ ...description, size: wanted.region }, limits().max);
        return readNative(reader, pixels.native, wanted);
      }
      if (pixels.coding === "jpeg2000") return jpeg2000Part(reader, file, wanted);
      return cutOf(await wholeFrame(reader, file, wanted), wanted.region);
    },
  };
};

/** Whether the bytes begin with a codestream (ISO/IEC 15444-1, A.4.1). */
const isBare = async (
  reader: RangeReader,
  { offset }: Fragment,
  signal: AbortSignal,
): Promise<boolean> => {
  const [first, second] = await reader.read(offset, 2, signal);
  return first === 0xff && second === 0x4f;
};

/** Values take eight bytes at most, and their pixels two. */
const checkCost = (
  { size, samples, stored }: Pick<Description, "size" | "samples" | "stored">,
  max: number,
): void => {
  const bytes = area(size) * samples * (stored > 8 ? 8 : 3);
  if (bytes > max)
    fail(
      "unreadable",
      `Expected a region of a DICOM frame of at most ${max} bytes; this one takes ${bytes}.`,
    );
};

const cutOf = (part: StoredPart, region: Rect): StoredPart => {
  const { width, height } = region;
  if (part.width === width && part.height === height) return part;
  const { channels } = part;
  const length = width * height * channels;
  const values = part.values.slice(0, length);
  for (let y = 0; y < height; y++) {
    const from = ((region.y + y) * part.width + region.x) * channels;
    values.set(part.values.subarray(from, from + width * channels), y * width * channels);
  }
  return { ...part, width, height, values };
};
