import { markers } from "../containers/index.ts";
import type { JpegKernel } from "./kernel.ts";
import { KernelMemory } from "./kernel-memory.ts";

/** The bytes of a file. */
export interface FileBytes {
  /** Copies those from a position on; returns how many there were, less only at the end. */
  read(to: Uint8Array, position: number): number;
}

/**
 * Whether the scan that begins at a position is followed by the end of the image. Then nothing is
 * missing at its end; data within it may still be corrupt.
 */
export const isEndedScan = (kernel: JpegKernel, file: FileBytes, start: number): boolean => {
  const memory = new KernelMemory(kernel);
  const from = memory.take(readBytes);
  const bytes = memory.bytes(from, readBytes);
  for (let position = start; ; position += readBytes - 1) {
    const length = file.read(bytes, position);
    const mark = kernel.findMarker(from, from + length) - from;
    if (mark < length) return bytes[mark + 1] === markers.endOfImage;
    if (length < readBytes) return false;
  }
};

/** Bytes read at once; the last one is read again with those that follow. */
const readBytes = 262_144;
