import { setImmediate } from "node:timers/promises";
import { crc32 } from "node:zlib";
import type { RangeReader } from "../../core/range-reader.ts";
import { ByteWindow, headSegments, markers } from "../containers/index.ts";

/**
 * Whether a JPEG or PNG goes on to its end, and its data is what its sums say. It is read once for
 * that, but not decoded: rows above some damage can be decoded as if there were none. False where
 * only decoding all of it can tell.
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

/**
 * Markers, their segments and all metadata of a JPEG that are looked at before its first scan, in
 * bytes.
 */
const longestHead = 1_048_576;

const isWholeJpeg = async (window: ByteWindow, signal: AbortSignal): Promise<boolean> => {
  const pace = new ScanPace(signal);
  const scan = headSegments(await window.at(0, longestHead))?.at(-1);
  if (scan?.marker !== markers.startOfScan) return false;
  for (let at = scan.end; ; ) {
    const step = stepIn(await window.at(at, shortestRead));
    if (typeof step !== "number") return step === "end";
    at += step;
    await pace.take(step);
  }
};

/**
 * How far the next marker and its segment go in bytes of a scan; `cut` where there is no more of
 * it.
 */
const stepIn = (bytes: Uint8Array): number | "end" | "cut" => {
  const found = bytes.indexOf(0xff);
  if (found < 0) return bytes.length || "cut";
  const [marker, high = 0, low = 0] = bytes.subarray(found + 1, found + 4);
  if (marker === markers.endOfImage) return "end";
  if (found + 4 > bytes.length) return found || "cut";
  return found + behind(marker, high, low);
};

const shortestRead = 4_096;

/**
 * How many bytes a marker within a scan takes: stuffing, restarts and fill bytes have no segment.
 */
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

/**
 * Whether a chunk's sum is that of its type and its data, which go from one byte to before another.
 */
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

/** Length, type and sum of a chunk. */
const around = 12;

/** Whether the image is not to be had without a chunk of a type (PNG, third edition, 5.4). */
const isCritical = (type: string): boolean => /^[A-Z]/.test(type);

/** Lets others have the event loop after some megabytes of what may all lie in memory. */
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
/** What a step takes, in bytes looked through. */
const costOfStep = 200;
