import type { Rect, Size } from "../../../core/geometry.ts";
import type { ByteRange, RangeReader } from "../../../core/range-reader.ts";
import { ByteWindow } from "../../containers/index.ts";

/** A chunk that is copied unchanged. */
export interface Chunk extends ByteRange {
  readonly type: string;
}

/** A frame of an animation (PNG, third edition, 11.3.6.2). */
export interface ApngFrame {
  /** Its position on the canvas, inside it. */
  readonly rect: Rect;
  /** What happens to that part of the canvas before the next frame. */
  readonly dispose: "none" | "background" | "previous";
  readonly blend: "source" | "over";
  /** Its compressed pixels, in pieces. */
  readonly data: readonly ByteRange[];
}

export interface Animation {
  readonly size: Size;
  /** The contents of IHDR. */
  readonly header: Buffer;
  /** Chunks before the pixels that all frames need: palette, transparency, colours. */
  readonly shared: readonly Chunk[];
  readonly frames: readonly ApngFrame[];
  /** Whether the default image, shown by readers without animation support, is the first frame. */
  readonly beginsWithPicture: boolean;
}

/** Maximum number of frames; further ones are ignored. */
const maxFrames = 10_000;
const maxChunks = 200_000;
const signatureBytes = 8;
const aroundChunk = 12;

/**
 * Finds the frames of a PNG; undefined where it has none, or they are invalid, so that only the
 * still image remains. After the first pixels of a plain PNG nothing is examined.
 */
export const readAnimation = async (
  reader: RangeReader,
  signal: AbortSignal,
): Promise<Animation | undefined> => {
  const window = new ByteWindow(reader, reader.size, signal);
  const building = new Building();
  for (let at = signatureBytes, count = 0; count < maxChunks; count++) {
    const head = buffer(await window.at(at, 8));
    if (head.length < 8) return undefined;
    const chunk: Chunk = {
      type: head.toString("latin1", 4, 8),
      offset: at + 8,
      length: head.readUInt32BE(0),
    };
    if (chunk.type === "IEND" || building.frames.length > maxFrames) return building.finish();
    const looked = Math.min(chunk.length, longestRead);
    const start = buffer(await window.at(chunk.offset, looked)).subarray(0, looked);
    if (!building.take(chunk, Buffer.from(start))) return undefined;
    at += aroundChunk + chunk.length;
  }
  return undefined;
};

/** Of contents, only those of IHDR, fcTL and the first bytes of fdAT are read. */
const longestRead = 26;

const buffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const sharedTypes: ReadonlySet<string> = new Set([
  "PLTE",
  "tRNS",
  "gAMA",
  "cHRM",
  "sRGB",
  "iCCP",
  "sBIT",
  "cICP",
]);

interface Growing {
  readonly rect: Rect;
  readonly dispose: ApngFrame["dispose"];
  readonly blend: ApngFrame["blend"];
  readonly data: ByteRange[];
}

class Building {
  readonly frames: Growing[] = [];
  readonly #shared: Chunk[] = [];
  #header: Buffer | undefined;
  #size: Size = { width: 0, height: 0 };
  #animated = false;
  #beginsWithPicture = false;
  #hasPicture = false;
  #sequence = 0;

  /** Processes the next chunk; false where there is, or can be, no animation. */
  take(chunk: Chunk, start: Buffer): boolean {
    const { type, offset, length } = chunk;
    switch (type) {
      case "IHDR":
        if (start.length < 13) return false;
        this.#header = start.subarray(0, 13);
        this.#size = { width: start.readUInt32BE(0), height: start.readUInt32BE(4) };
        return true;
      case "acTL":
        this.#animated = true;
        return true;
      case "fcTL":
        return start.length === longestRead && this.#inOrder(start) && this.#begin(start);
      case "IDAT":
        return this.#takePicture({ offset, length });
      case "fdAT":
        if (length < 4 || !this.#hasPicture || !this.#inOrder(start)) return false;
        this.frames.at(-1)?.data.push({ offset: offset + 4, length: length - 4 });
        return this.frames.length > 0;
      default:
        if (!this.#hasPicture && sharedTypes.has(type)) this.#shared.push(chunk);
        return true;
    }
  }

  /**
   * The pixels of the still image, which are those of the first frame where that was announced
   * before.
   */
  #takePicture(place: ByteRange): boolean {
    if (!this.#hasPicture) this.#beginsWithPicture = this.frames.length > 0;
    this.#hasPicture = true;
    if (this.#beginsWithPicture) this.frames[0]?.data.push(place);
    return this.#animated;
  }

  finish(): Animation | undefined {
    const header = this.#header;
    const frames = this.frames.slice(0, maxFrames);
    if (header === undefined || !this.#hasPicture || frames.length === 0) return undefined;
    if (frames.some(({ data }) => data.length === 0)) return undefined;
    return {
      size: this.#size,
      header,
      shared: this.#shared,
      frames,
      beginsWithPicture: this.#beginsWithPicture,
    };
  }

  /** Frames and their data are numbered consecutively. */
  #inOrder(start: Buffer): boolean {
    return start.length >= 4 && start.readUInt32BE(0) === this.#sequence++;
  }

  #begin(start: Buffer): boolean {
    const rect = {
      width: start.readUInt32BE(4),
      height: start.readUInt32BE(8),
      x: start.readUInt32BE(12),
      y: start.readUInt32BE(16),
    };
    const dispose = disposals[start[24] ?? 0];
    const blend = blends[start[25] ?? 0];
    const fits =
      rect.width > 0 &&
      rect.height > 0 &&
      rect.x + rect.width <= this.#size.width &&
      rect.y + rect.height <= this.#size.height;
    if (dispose === undefined || blend === undefined || !fits) return false;
    this.frames.push({ rect, dispose, blend, data: [] });
    return true;
  }
}

const disposals = ["none", "background", "previous"] as const;
const blends = ["source", "over"] as const;
