import { setImmediate } from "node:timers/promises";
import { crc32 } from "node:zlib";
import type { RangeReader } from "../../core/range-reader.ts";
import { ByteWindow, headSegments, markers } from "../containers/index.ts";

/**
 * Verifies that a JPEG or PNG is complete and its checksums are right, by reading but not decoding
 * it: rows above damage decode normally. False where only decoding all of it can tell.
 */
export const isWhole = (
  format: "jpg" | "png",
  reader: RangeReader,
  signal: AbortSignal,
): Promise<boolean> =>
  (format === "jpg" ? isWholeJpeg : isWholePng)(
    new ByteWindow(reader, reader.size, signal),
    signal,
  );

/** Maximum bytes of markers, segments and metadata of a JPEG examined before its first scan. */
const longestHead = 1_048_576;

const isWholeJpeg = async (window: ByteWindow, signal: AbortSignal): Promise<boolean> => {
  const pace = new ScanPace(signal);
  const scan = headSegments(await window.at(0, longestHead))?.at(-1);
  if (scan?.marker !== markers.startOfScan) return false;
  for (let at = scan.end; ; ) {
    const { length, isEnd } = skipMarkers(await window.at(at, shortestRead));
    if (isEnd || length === 0) return isEnd;
    at += length;
    await pace.take(length);
  }
};

/**
 * Skips the complete markers and segments of a part of a scan. Returns how many bytes it skipped,
 * and whether the image ends there.
 */
const skipMarkers = (bytes: Uint8Array): { readonly length: number; readonly isEnd: boolean } => {
  let at = 0;
  while (at < bytes.length) {
    const found = bytes.indexOf(0xff, at);
    if (found < 0) return { length: bytes.length, isEnd: false };
    const marker = bytes[found + 1];
    if (marker === markers.endOfImage) return { length: found, isEnd: true };
    if (found + 4 > bytes.length) return { length: found, isEnd: false };
    at = found + behind(marker, bytes[found + 2] ?? 0, bytes[found + 3] ?? 0);
  }
  return { length: at, isEnd: false };
};

const shortestRead = 4_096;

/** Length of a marker within a scan: stuffing, restarts and fill bytes have no segment. */
const behind = (marker = 0, high: number, low: number): number => {
  if (marker === 0xff) return 1;
  return marker === 0 || (marker >= 0xd0 && marker <= 0xd7) ? 2 : 2 + high * 256 + low;
};

const signatureBytes = 8;

const isWholePng = async (window: ByteWindow, signal: AbortSignal): Promise<boolean> => {
  const pace = new ScanPace(signal);
  for (let at = signatureBytes; ; ) {
    const head = Buffer.from((await window.at(at, 8)).subarray(0, 8));
    if (head.length < 8) return false;
    const type = head.toString("latin1", 4);
    if (type === "IEND") return true;
    const end = at + 8 + head.readUInt32BE();
    if (isCritical(type) && !(await isSummed(window, { head, from: at + 8, end }, pace)))
      return false;
    at = end + 4;
    await pace.take(around);
  }
};

/** Whether a chunk's checksum matches its type and data, in a half-open range. */
const isSummed = async (
  window: ByteWindow,
  chunk: { readonly head: Buffer; readonly from: number; readonly end: number },
  pace: ScanPace,
): Promise<boolean> => {
  const { head, end } = chunk;
  let sum = crc32(head.subarray(4));
  for (let from = chunk.from; from < end; ) {
    const length = Math.min(shortestRead, end - from);
    const bytes = (await window.at(from, length)).subarray(0, end - from);
    if (bytes.length === 0) return false;
    sum = crc32(bytes, sum);
    from += bytes.length;
    await pace.take(bytes.length);
  }
  const stated = Buffer.from((await window.at(end, 4)).subarray(0, 4));
  return stated.length === 4 && stated.readUInt32BE() === sum;
};

/** Length, type and checksum of a chunk. */
const around = 12;

/** Whether a chunk of a type is required for the image (PNG, third edition, 5.4). */
const isCritical = (type: string): boolean => /^[A-Z]/.test(type);

/** Yields the event loop after some megabytes of data that may all be in memory. */
class ScanPace {
  readonly #signal: AbortSignal;
  #taken = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async take(bytes: number): Promise<void> {
    this.#taken += bytes + costOfStep;
    if (this.#taken < bytesAtOnce) return;
    this.#taken = 0;
    await setImmediate();
    this.#signal.throwIfAborted();
  }
}

const bytesAtOnce = 4_194_304;
/** Cost of a step, in bytes examined. */
const costOfStep = 200;
