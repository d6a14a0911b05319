import { fail } from "../../core/errors.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { ByteWindow } from "../containers/index.ts";

/**
 * The cumulative pixels of an animation's frames: a frame is drawn over all before it. A bounded
 * number of frames is examined; of a corrupt file, those before the damage.
 */
export const areasOfFrames = async (
  format: "gif" | "webp",
  reader: RangeReader,
  max: number,
  signal: AbortSignal,
): Promise<readonly number[]> => {
  const sums: number[] = [];
  let sum = 0;
  const frames = format === "gif" ? framesOfGif : framesOfWebp;
  for await (const pixels of frames(new ByteWindow(reader, reader.size, signal))) {
    sum += pixels;
    if (sums.push(sum) >= max) break;
  }
  return sums;
};

/** libwebp searches for each frame from the first one on. */
const maxWebpFrames = 32_768;

/**
 * Rejects a WebP with more frames than any real animation, which would be searched over and over.
 */
export const checkWebpFrames = async (reader: RangeReader, signal: AbortSignal): Promise<void> => {
  const { length } = await areasOfFrames("webp", reader, maxWebpFrames + 1, signal);
  if (length > maxWebpFrames)
    fail("unreadable", `Expected a WebP of at most ${maxWebpFrames} frames; it has more.`);
};

const trailer = 0x3b;
const extension = 0x21;

/** The pixels of each frame of a GIF (GIF89a, sections 17 to 27). */
const framesOfGif = async function* (window: ByteWindow): AsyncGenerator<number> {
  const head = await window.at(0, 13);
  let at = 13 + tableBytes(head[10] ?? 0);
  for (;;) {
    const block = await window.at(at, 10);
    const [kind = trailer, , , , , w0 = 0, w1 = 0, h0 = 0, h1 = 0, flags = 0] = block;
    if (kind === extension) at = await behindBlocks(window, at + 2);
    else if (kind === 0x2c && block.length >= 10) {
      yield (w0 + w1 * 256) * (h0 + h1 * 256);
      at = await behindBlocks(window, at + 11 + tableBytes(flags));
    } else return;
  }
};

/** Bytes of a colour table, if the flags say that there is one. */
const tableBytes = (flags: number): number => (flags > 127 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** The end of blocks of up to 255 bytes that begin at a position. */
const behindBlocks = async (window: ByteWindow, from: number): Promise<number> => {
  for (let at = from; ; ) {
    const bytes = await window.at(at, 1);
    let inside = 0;
    for (let length = bytes[inside]; length !== undefined; length = bytes[inside]) {
      inside += 1 + length;
      if (length === 0) return at + inside;
    }
    if (inside === 0) return at;
    at += inside;
  }
};

/** The pixels of each frame of a WebP (RFC 9649, section 2.7). */
const framesOfWebp = async function* (window: ByteWindow): AsyncGenerator<number> {
  for (let at = 12; ; ) {
    const head = await window.at(at, 24);
    if (head.length < 8) return;
    const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
    const length = view.getUint32(4, true);
    if (Buffer.from(head.subarray(0, 4)).toString("latin1") === "ANMF" && head.length >= 20) {
      const side = (from: number): number => 1 + (view.getUint32(from, true) & 0xff_ff_ff);
      yield side(14) * side(17);
    }
    at += 8 + length + (length & 1);
  }
};
