import sharp from "sharp";
import type { Bomb } from "./bomb.ts";

const flat = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: "#777" },
    limitInputPixels: false,
  }).toColourspace("b-w");

/** Where the scans of a progressive JPEG begin and where they end, in bytes. */
const scansOf = (jpeg: Buffer): readonly (readonly [from: number, to: number])[] => {
  const starts: number[] = [];
  for (let at = jpeg.indexOf("ffda", 0, "hex"); at >= 0; at = jpeg.indexOf("ffda", at + 2, "hex"))
    starts.push(at);
  return starts.map((from, index) => [from, starts[index + 1] ?? jpeg.length - 2]);
};

/** A progressive JPEG whose last scan, a refinement, is repeated. */
const scans = async (side: number, count: number): Promise<Buffer> => {
  const jpeg = await flat(side, side).jpeg({ progressive: true }).toBuffer();
  const last = scansOf(jpeg).at(-1);
  if (last === undefined) throw new Error("Expected a progressive JPEG to have scans");
  const scan = jpeg.subarray(...last);
  return Buffer.concat([
    jpeg.subarray(0, -2),
    ...Array<Buffer>(count).fill(scan),
    jpeg.subarray(-2),
  ]);
};

/** Repeats the segment with a marker's second byte after the start. */
const segments = async (marker: number, content: Uint8Array, count: number): Promise<Buffer> => {
  const jpeg = await flat(64, 64).jpeg().toBuffer();
  const head = Buffer.of(0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 255);
  const segment = Buffer.concat([head, content]);
  return Buffer.concat([
    jpeg.subarray(0, 2),
    Buffer.alloc(segment.length * count, segment),
    jpeg.subarray(2),
  ]);
};

export const jpegBombs: readonly Bomb[] = [
  { name: "jpeg-scans.jpg", make: () => scans(4_000, 2_000) },
  { name: "jpeg-scans-large.jpg", make: () => scans(16_000, 90) },
  { name: "jpeg-flat-large.jpg", make: () => flat(31_000, 31_000).jpeg().toBuffer() },
  {
    name: "jpeg-restarts.jpg",
    make: async () => {
      const jpeg = await flat(16_000, 16_000).jpeg().toBuffer();
      const scan = jpeg.indexOf("ffda", 0, "hex");
      return Buffer.concat([
        jpeg.subarray(0, scan),
        Buffer.of(0xff, 0xdd, 0, 4, 0, 1),
        jpeg.subarray(scan),
      ]);
    },
  },
  { name: "jpeg-comments.jpg", make: () => segments(0xfe, new Uint8Array(0), 5_000_000) },
  {
    name: "jpeg-fill.jpg",
    make: async () => {
      const jpeg = await flat(64, 64).jpeg().toBuffer();
      return Buffer.concat([jpeg.subarray(0, 2), Buffer.alloc(50_000_000, 0xff), jpeg.subarray(2)]);
    },
  },
  {
    name: "jpeg-tables.jpg",
    make: () =>
      segments(0xdb, Buffer.alloc(65 * 1_000, Buffer.of(0, ...Array<number>(64).fill(1))), 200),
  },
];
