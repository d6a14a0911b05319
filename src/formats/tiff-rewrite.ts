import { fail } from "../core/errors.ts";
import { type Rect, round } from "../core/geometry.ts";
import { assembleTiff, type Field } from "./tiff-assembly.ts";
import type { Cutout } from "./tiff-cut.ts";
import { decompressTile, isLossless } from "./tiff-decompress.ts";
import { readNumbers, type TiffFile } from "./tiff-directory.ts";
import { carriedFields, shortField } from "./tiff-fields.ts";
import { colourSamples, decodedBytes } from "./tiff-layout.ts";
import type { StoredLevel } from "./tiff-pages.ts";
import { samplesOf } from "./tiff-samples.ts";
import { isLab, labToSrgb, rewrittenBits, scaling, type ValueRange } from "./tiff-scale.ts";
import { compressionNames, compressions, photometrics, tags } from "./tiff-tags.ts";
import { fillTiles, storedTiles, tilesAround, tooMuch, type Wanted } from "./tiff-tiles.ts";

const kept: ReadonlySet<number> = new Set([tags.iccProfile, tags.inkSet]);

/**
 * Whether the samples have to be put into another form before libvips can show them: odd depths,
 * signed and floating point numbers, CIELAB, tiles by plane, and samples that are no colour.
 */
export const needsRewriting = (level: StoredLevel): boolean => {
  const { bits, samples, sampleFormat, planar, tiled } = level;
  const usual = samples === 1 ? [1, 2, 4, 8, 16] : [8, 16];
  if (level.photometric === photometrics.palette) return false;
  if (!usual.includes(bits) || (planar && tiled)) return true;
  if (!isLossless(level.compression)) return false;
  return sampleFormat !== "unsigned" || isLab(level) || samples !== chosenSamples(level).length;
};

/** Decodes the tiles around a region here, and gives their samples in a form libvips reads. */
export const rewriteTiles = async (
  file: TiffFile,
  level: StoredLevel,
  wanted: Wanted,
): Promise<Cutout> => {
  refuse(level);
  const { most, signal } = wanted;
  const area = tilesAround(level, wanted.region);
  const chosen = chosenSamples(level);
  const bits = rewrittenBits(level);
  const length = area.width * area.height * chosen.length * (bits / 8);
  // Numbers take eight bytes each on the way, a tile at a time.
  const tileCost =
    decodedBytes(level, level.tile.height) +
    level.tile.width * level.tile.height * level.samples * 8;
  if (length + tileCost > most) tooMuch(length + tileCost, most);
  const carried = await carriedFields(file, level, signal);
  const { file: rewritten, slots } = assembleTiff({
    littleEndian: file.bytes.littleEndian,
    width: area.width,
    height: area.height,
    fields: fieldsOf(file, level, { carried, chosen, bits }),
    lengths: [length],
  });
  const scale = scaling(level, {
    range: await rangeOf(file, level, signal),
    profiled: carried.some(({ tag }) => tag === tags.iccProfile),
  });
  const canvas: Canvas = {
    view: new DataView(rewritten.buffer, slots[0]?.byteOffset ?? 0, length),
    area,
    chosen,
    bits,
    littleEndian: file.bytes.littleEndian,
    scale,
  };
  const stored = await storedTiles(file, level, { area, signal });
  for (const [index, { offset, length }] of stored.entries()) {
    signal.throwIfAborted();
    // A tile that was never written is black, as the canvas already is.
    if (length === 0) continue;
    const [tile] = await fillTiles(file, [{ offset, length }], signal);
    if (tile !== undefined) await drawTile(level, canvas, { tile, ...placeOf(level, area, index) });
  }
  return { file: rewritten, area };
};

interface Canvas {
  readonly view: DataView;
  readonly area: Rect;
  readonly chosen: readonly number[];
  readonly bits: 8 | 16;
  readonly littleEndian: boolean;
  readonly scale: (value: number) => number;
}

/** The samples that are colour, then the one that is transparency, if any. */
const chosenSamples = (level: StoredLevel): number[] => {
  const colours = colourSamples(level);
  const alpha = level.extra.findIndex((kind) => kind === 1 || kind === 2);
  const all = Array.from({ length: colours }, (_, sample) => sample);
  return alpha < 0 || colours + alpha >= level.samples ? all : [...all, colours + alpha];
};

const refuse = (level: StoredLevel): void => {
  if (!isLossless(level.compression)) {
    const name = compressionNames[level.compression] ?? `compression ${level.compression}`;
    fail(
      "unreadable",
      `Expected samples of 8 or 16 bits in ${name}; the TIFF has ${level.bits} bits.`,
    );
  }
  if (level.photometric === photometrics.yCbCr || level.photometric > photometrics.iccLab)
    fail(
      "unreadable",
      "Expected a TIFF in a colour space that can be read; this one is in another.",
    );
};

const fieldsOf = (
  file: TiffFile,
  level: StoredLevel,
  options: {
    readonly carried: readonly Field[];
    readonly chosen: readonly number[];
    readonly bits: number;
  },
): Field[] => {
  const { chosen, bits } = options;
  const lab = isLab(level);
  const colours = colourSamples(level);
  const alphaKind =
    chosen.length > colours ? level.extra[(chosen.at(-1) ?? 0) - colours] : undefined;
  return [
    // What was a profile of L*a*b* is none of sRGB.
    ...options.carried.filter(({ tag }) => kept.has(tag) && !(lab && tag === tags.iccProfile)),
    shortField(file, tags.bitsPerSample, ...chosen.map(() => bits)),
    shortField(file, tags.compression, compressions.none),
    shortField(file, tags.photometric, lab ? photometrics.rgb : level.photometric),
    shortField(file, tags.samplesPerPixel, chosen.length),
    shortField(file, tags.planarConfiguration, 1),
    ...(alphaKind === undefined ? [] : [shortField(file, tags.extraSamples, alphaKind)]),
  ];
};

const rangeOf = async (
  file: TiffFile,
  level: StoredLevel,
  signal: AbortSignal,
): Promise<ValueRange | undefined> => {
  const low = level.directory.entries.get(tags.sMinSampleValue);
  const high = level.directory.entries.get(tags.sMaxSampleValue);
  if (low === undefined || high === undefined || level.sampleFormat === "unsigned")
    return undefined;
  const range = {
    low: Math.min(...(await readNumbers(file, low, { signal }))),
    high: Math.max(...(await readNumbers(file, high, { signal }))),
  };
  return range.high > range.low ? range : undefined;
};

interface Place {
  /** Of the tile's first pixel, within the area. */
  readonly x: number;
  readonly y: number;
  /** The sample that all of a plane's tile are; undefined where pixels are whole. */
  readonly plane: number | undefined;
}

const placeOf = (level: StoredLevel, area: Rect, index: number): Place => {
  const across = Math.ceil(area.width / level.tile.width);
  const perPlane = across * Math.ceil(area.height / level.tile.height);
  const inPlane = index % perPlane;
  return {
    x: (inPlane % across) * level.tile.width,
    y: Math.floor(inPlane / across) * level.tile.height,
    plane: level.planar ? Math.floor(index / perPlane) : undefined,
  };
};

const drawTile = async (
  level: StoredLevel,
  canvas: Canvas,
  part: Place & { readonly tile: Uint8Array },
): Promise<void> => {
  const { area, chosen } = canvas;
  const channels = part.plane === undefined ? chosen : [part.plane];
  const first = part.plane === undefined ? 0 : chosen.indexOf(part.plane);
  if (first < 0) return;
  // Strips end with the picture; tiles are whole.
  const left = level.size.height - area.y - part.y;
  const rows = level.tiled ? level.tile.height : Math.min(level.tile.height, left);
  const bytes = await decompressTile(level.compression, part.tile, decodedBytes(level, rows));
  const samples = samplesOf(level, bytes, { littleEndian: canvas.littleEndian, rows });
  const stride = part.plane === undefined ? level.samples : 1;
  const width = Math.min(level.tile.width, area.width - part.x);
  const put = isLab(level) ? putLab : putScaled;
  for (let y = 0; y < Math.min(rows, area.height - part.y); y++)
    for (let x = 0; x < width; x++)
      put(level, canvas, {
        samples,
        from: (y * level.tile.width + x) * stride,
        to: ((part.y + y) * area.width + part.x + x) * chosen.length + first,
        channels: part.plane === undefined ? channels : [0],
      });
};

interface Pixel {
  readonly samples: Float64Array;
  readonly from: number;
  readonly to: number;
  readonly channels: readonly number[];
}

const putScaled = (_level: StoredLevel, canvas: Canvas, pixel: Pixel): void => {
  const { samples, from, to, channels } = pixel;
  for (const [index, channel] of channels.entries())
    write(canvas, to + index, canvas.scale(samples[from + channel] ?? 0));
};

const putLab = (level: StoredLevel, canvas: Canvas, pixel: Pixel): void => {
  const { samples, from, to } = pixel;
  if (level.planar)
    fail("unreadable", "Expected CIELAB in whole pixels; the TIFF has it by plane.");
  const stored = [samples[from] ?? 0, samples[from + 1] ?? 0, samples[from + 2] ?? 0] as const;
  for (const [index, value] of labToSrgb(level, stored).entries()) write(canvas, to + index, value);
  const [alpha] = pixel.channels.slice(3);
  if (alpha !== undefined)
    write(canvas, to + 3, (samples[from + alpha] ?? 0) / 2 ** (level.bits - 8));
};

const write = ({ view, bits, littleEndian }: Canvas, index: number, value: number): void => {
  if (bits === 8) view.setUint8(index, round(value));
  else view.setUint16(index * 2, round(value), littleEndian);
};
