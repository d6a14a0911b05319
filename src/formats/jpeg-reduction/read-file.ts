import { closeSync, openSync, readSync } from "node:fs";
import { headSegments, profileIn } from "../containers/index.ts";
import type { ReductionJob } from "./contract.ts";
import type { Supply } from "./input.ts";
import type { JpegKernel } from "./kernel.ts";
import { reduceJpeg } from "./reduce.ts";
import { scanIn } from "./scan.ts";
import { createTiledFile } from "./tiled-file.ts";

/** Copies the bytes of a file from a position on; returns how many there were. */
type ReadAt = (to: Uint8Array, position: number) => number;

/**
 * Reads the JPEG of a job reduced, as an uncompressed TIFF in tiles; undefined where it is of
 * another kind. Throws where it is corrupt, incomplete or cannot be opened.
 */
export const readReduced = (kernel: JpegKernel, job: ReductionJob): Uint8Array | undefined => {
  const { file } = job;
  if (typeof file !== "string") return reducedFrom(fromMemory(file), kernel, job);
  const descriptor = openSync(file, "r");
  try {
    const read: ReadAt = (to, position) => readFully(descriptor, to, position);
    return reducedFrom(read, kernel, job);
  } finally {
    closeSync(descriptor);
  }
};

const fromMemory =
  (bytes: Uint8Array): ReadAt =>
  (to, position) => {
    const part = bytes.subarray(position, position + to.length);
    to.set(part);
    return part.length;
  };

const readFully = (descriptor: number, to: Uint8Array, position: number): number => {
  let length = 0;
  while (length < to.length) {
    const read = readSync(descriptor, to, length, to.length - length, position + length);
    if (read === 0) break;
    length += read;
  }
  return length;
};

const reducedFrom = (
  read: ReadAt,
  kernel: JpegKernel,
  { size, profiled, density, wanted }: ReductionJob,
): Uint8Array | undefined => {
  const head = headOf(read);
  if (head === undefined) return undefined;
  const scan = scanIn(head, size);
  if (scan === undefined) return undefined;
  const profile = profiled ? profileIn(head, headSegments(head) ?? []) : undefined;
  if (profiled && profile === undefined) return undefined;
  let position = scan.start;
  const supply: Supply = (to) => {
    const length = read(to, position);
    position += length;
    return length;
  };
  const channels = scan.components.length === 1 ? 1 : 3;
  const file = createTiledFile({ size: wanted.size, channels, profile, density });
  reduceJpeg(kernel, { scan, supply, put: file.put }, wanted);
  return file.bytes;
};

/** The beginning of a file, up to its first scan; undefined where that is too far in. */
const headOf = (read: ReadAt): Uint8Array<ArrayBuffer> | undefined => {
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
