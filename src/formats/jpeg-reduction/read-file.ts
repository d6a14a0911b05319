import { closeSync, openSync, readSync } from "node:fs";
import { headSegments, profileIn, scanIn } from "../containers/index.ts";
import type { ReductionJob, TiffPart } from "./contract.ts";
import { type FileBytes, isEndedScan } from "./ended-scan.ts";
import type { Supply } from "./input.ts";
import type { JpegKernel } from "./kernel.ts";
import { reduceJpeg } from "./reduce.ts";
import { createTiledFile } from "./tiled-file.ts";

/** Takes the parts of a reduced image but the last. */
export type TakePart = (part: TiffPart) => void;

/**
 * Reads the JPEG of a job reduced, and returns the last part of it, before which `take` gets the
 * others; undefined where it is of another kind. Throws where it is corrupt, incomplete or cannot be
 * opened: what was taken until then shows what is above the damage.
 */
export const readReduced = (
  kernel: JpegKernel,
  job: ReductionJob,
  take: TakePart,
): TiffPart | undefined => {
  const { file } = job;
  if (typeof file !== "string") return reducedFrom(fromMemory(file), { kernel, job, take });
  const descriptor = openSync(file, "r");
  try {
    return reducedFrom(fromFile(descriptor), { kernel, job, take });
  } finally {
    closeSync(descriptor);
  }
};

const fromMemory = (bytes: Uint8Array): FileBytes => ({
  read(to, position) {
    const part = bytes.subarray(position, position + to.length);
    to.set(part);
    return part.length;
  },
});

const fromFile = (descriptor: number): FileBytes => ({
  read(to, position) {
    let length = 0;
    while (length < to.length) {
      const read = readSync(descriptor, to, length, to.length - length, position + length);
      if (read === 0) break;
      length += read;
    }
    return length;
  },
});

interface Reading {
  readonly kernel: JpegKernel;
  readonly job: ReductionJob;
  readonly take: TakePart;
}

const reducedFrom = (
  file: FileBytes,
  { kernel, job: { size, profiled, density, wanted, inParts }, take }: Reading,
): TiffPart | undefined => {
  const head = headOf(file);
  if (head === undefined) return undefined;
  const scan = scanIn(head, size);
  if (!scan?.isYCbCr) return undefined;
  const profile = profiled ? profileIn(head, headSegments(head) ?? []) : undefined;
  if (profiled && profile === undefined) return undefined;
  let position = scan.start;
  const supply: Supply = (to) => {
    const length = file.read(to, position);
    position += length;
    return length;
  };
  const channels = scan.components.length === 1 ? 1 : 3;
  const tiled = createTiledFile({ size: wanted.size, channels, profile, density });
  const { height } = wanted.size;
  const { length } = tiled.bytes;
  let at = 0;
  const partUpTo = (end: number, rows: number): TiffPart => {
    const part = { bytes: tiled.bytes.slice(at, end), at, length, rows };
    at = end;
    return part;
  };
  const isEarly = inParts && isEndedScan(kernel, file, scan.start);
  const put = (row: number, pixels: Uint8Array): void => {
    tiled.put(row, pixels);
    const rows = row + 1;
    const end = isEarly && rows < height ? tiled.finalBytes(rows) : undefined;
    if (end !== undefined) take(partUpTo(end, rows));
  };
  reduceJpeg(kernel, { scan, supply, put }, wanted);
  return at === 0 ? { bytes: tiled.bytes, at, length, rows: height } : partUpTo(length, height);
};

/** The beginning of a file, up to its first scan; undefined where that is too far in. */
const headOf = ({ read }: FileBytes): Uint8Array<ArrayBuffer> | undefined => {
  for (let length = firstRead; length <= maxHead; length *= 8) {
    const bytes = new Uint8Array(length);
    const found = bytes.subarray(0, read(bytes, 0));
    if (headSegments(found) !== undefined) return found;
    if (found.length < length) return undefined;
  }
  return undefined;
};

/** Bytes of a file's beginning that are read: at first, and at most. */
const firstRead = 65_536;
const maxHead = 4_194_304;
