import { crc32, deflateRawSync, deflateSync } from "node:zlib";
import sharp from "sharp";
import { numbers } from "../../jp2.ts";
import type { Bomb } from "./bomb.ts";

const chunk = (type: string, ...data: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), ...data]);
  return Buffer.concat([numbers(4, body.length - 4), body, numbers(4, crc32(body))]);
};

interface PngForm {
  readonly bits?: number;
  /** 0 grey, 2 RGB, 6 RGB with transparency. */
  readonly colour?: 0 | 2 | 6;
  readonly interlaced?: boolean;
}

const pngHeader = (
  width: number,
  height: number,
  { bits = 8, colour = 0, interlaced = false }: PngForm = {},
): Buffer =>
  Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", numbers(4, width, height), numbers(1, bits, colour, 0, 0, interlaced ? 1 : 0)),
  ]);

const pngEnd = chunk("IEND");

/** Deflate of very many zeros: full flushes allow joining pieces. */
const manyZeros = (length: number): Buffer => {
  const piece = 8_000_000;
  const raw = deflateRawSync(Buffer.alloc(piece), { finishFlush: 3 });
  const last = deflateRawSync(Buffer.alloc(length % piece));
  return Buffer.concat([
    numbers(2, 0x789c),
    ...Array<Buffer>(Math.floor(length / piece)).fill(raw),
    last,
    numbers(4, 1),
  ]);
};

/** Of zeros Adler's sum is 1, and their number times 65,536, modulo 65,521. */
const summed = (stream: Buffer, length: number): Buffer => {
  stream.writeUInt32BE((((length % 65_521) << 16) >>> 0) + 1, stream.length - 4);
  return stream;
};

const png = (width: number, height: number, form: PngForm): Buffer => {
  const { bits = 8, colour = 0 } = form;
  const samples = colour === 0 ? 1 : colour === 2 ? 3 : 4;
  const length = (Math.ceil((width * bits * samples) / 8) + 1) * height;
  return Buffer.concat([
    pngHeader(width, height, form),
    chunk("IDAT", summed(manyZeros(length), length)),
    pngEnd,
  ]);
};

const black = (length: number): Buffer => deflateSync(Buffer.alloc(length));

/** An animation of frames that cover the canvas, or one pixel of it. */
const animatedPng = (side: number, frames: number, of = side): Buffer => {
  const data = black((of * 4 + 1) * of);
  const parts = [pngHeader(side, side, { colour: 6 }), chunk("acTL", numbers(4, frames, 0))];
  for (let frame = 0, sequence = 0; frame < frames; frame++) {
    const whole = frame === 0 ? side : of;
    // Blended over what is there, which is cleared again.
    parts.push(
      chunk(
        "fcTL",
        numbers(4, sequence++, whole, whole, 0, 0),
        numbers(2, 1, 10),
        numbers(1, 2, 1),
      ),
    );
    parts.push(
      frame === 0
        ? chunk("IDAT", black((side * 4 + 1) * side))
        : chunk("fdAT", numbers(4, sequence++), data),
    );
  }
  return Buffer.concat([...parts, pngEnd]);
};

const flat = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: "#000" }, limitInputPixels: false });

/** A GIF that repeats the same frame of so many pixels a side. */
const gif = async (side: number, frames: number, of: number): Promise<Buffer> => {
  const still = await flat(of, of).gif().toBuffer();
  const table = (still[10] ?? 0) & 0x80 ? 3 * 2 ** (((still[10] ?? 0) & 7) + 1) : 0;
  const head = Buffer.from(still.subarray(0, 13 + table));
  head.writeUInt16LE(side, 6);
  head.writeUInt16LE(side, 8);
  const frame = still.subarray(still.indexOf(0x2c, head.length), -1);
  const control = Buffer.from("21f9040401000000", "hex");
  const all = Buffer.alloc(
    (control.length + frame.length) * frames,
    Buffer.concat([control, frame]),
  );
  return Buffer.concat([head, all, Buffer.of(0x3b)]);
};

/** A RIFF chunk, padded to an even length. */
const riff = (type: string, ...data: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(data);
  const head = Buffer.alloc(8);
  head.write(type, "latin1");
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length & 1)]);
};

const three = (value: number): Buffer => Buffer.of(value & 255, (value >> 8) & 255, value >> 16);

/** An animated WebP that repeats the same frame. */
const animatedWebp = async (side: number, frames: number): Promise<Buffer> => {
  const still = await flat(side, side).webp({ lossless: true, effort: 0 }).toBuffer();
  const picture = still.subarray(12);
  const frame = riff(
    "ANMF",
    three(0),
    three(0),
    three(side - 1),
    three(side - 1),
    three(10),
    Buffer.of(0),
    picture,
  );
  const body = Buffer.concat([
    Buffer.from("WEBP", "latin1"),
    riff("VP8X", Buffer.of(2, 0, 0, 0), three(side - 1), three(side - 1)),
    riff("ANIM", Buffer.alloc(6)),
    ...Array<Buffer>(frames).fill(frame),
  ]);
  return riff("RIFF", body);
};

export const rasterBombs: readonly Bomb[] = [
  { name: "png-bits.png", make: () => png(31_000, 31_000, { bits: 1 }) },
  { name: "png-deep.png", make: () => png(31_000, 31_000, { bits: 16, colour: 6 }) },
  {
    name: "png-interlaced.png",
    make: () => png(8_000, 8_000, { bits: 16, colour: 6, interlaced: true }),
  },
  {
    name: "png-chunks.png",
    make: () => {
      const one = chunk("teXt");
      return Buffer.concat([
        pngHeader(8, 8),
        Buffer.alloc(one.length * 1_000_000, one),
        chunk("IDAT", black(72)),
        pngEnd,
      ]);
    },
  },
  {
    name: "png-texts.png",
    make: () => {
      const text = chunk("zTXt", Buffer.from("a\0\0", "latin1"), black(20_000_000));
      return Buffer.concat([
        pngHeader(8, 8),
        ...Array<Buffer>(200).fill(text),
        chunk("IDAT", black(72)),
        pngEnd,
      ]);
    },
  },
  {
    name: "png-profile.png",
    make: () =>
      Buffer.concat([
        pngHeader(8, 8),
        chunk("iCCP", Buffer.from("p\0\0", "latin1"), manyZeros(4_000_000_000)),
        chunk("IDAT", black(72)),
        pngEnd,
      ]),
  },
  {
    name: "png-data-goes-on.png",
    make: () => Buffer.concat([pngHeader(64, 64), chunk("IDAT", manyZeros(8_000_000_000)), pngEnd]),
  },
  { name: "apng-frames.png", make: () => animatedPng(4, 100_000), page: 100 },
  { name: "apng-last-frame.png", make: () => animatedPng(3_000, 400), page: 400 },
  { name: "gif-frames.gif", make: () => gif(16, 200_000, 1), page: 9_999 },
  { name: "gif-large-canvas.gif", make: () => gif(10_000, 300, 1), page: 300 },
  { name: "gif-last-frame.gif", make: () => gif(4_000, 600, 4_000), page: 600 },
  { name: "webp-last-frame.webp", make: () => animatedWebp(4_000, 600), page: 600 },
  { name: "webp-frames.webp", make: () => animatedWebp(1, 200_000), page: 9_999 },
  {
    name: "webp-large.webp",
    make: () => flat(11_000, 11_000).webp({ lossless: true, effort: 0 }).toBuffer(),
  },
  { name: "avif-large.avif", make: () => flat(12_000, 12_000).avif({ effort: 0 }).toBuffer() },
];
