import { fail } from "../../../core/errors.ts";
import { area, type Size } from "../../../core/geometry.ts";
import type { Steps } from "../../../core/steps.ts";
import { type Directory, type DirectoryEntry, readNumbers, type TiffFile } from "./directory.ts";
import { compressions, photometrics, tags } from "./tags.ts";

const longestSide = 4_294_967_295;
const maxSamples = 256;

/** The layout of samples in a tile or strip. */
export interface SampleLayout {
  /** Size of a tile, or of a strip: as wide as the image. */
  readonly tile: Size;
  /** Whether every sample has tiles of its own (planar). */
  readonly planar: boolean;
  readonly compression: number;
  /** TIFF 6.0 section 14: 1 none, 2 differences, 3 floating point. */
  readonly predictor: number;
  readonly photometric: number;
  readonly samples: number;
  /** Of one sample. */
  readonly bits: number;
  readonly sampleFormat: "unsigned" | "signed" | "float";
  readonly fillOrder: number;
}

/** The pixel storage of one directory. */
export interface TiffFileLayout extends SampleLayout {
  readonly directory: Directory;
  readonly size: Size;
  readonly tiled: boolean;
  /** Number of tiles or strips across and down. */
  readonly across: number;
  readonly down: number;
  /** ExtraSamples (338): one for each sample beyond those of the photometric. */
  readonly extra: readonly number[];
  /**
   * YCbCrSubSampling (530): pixels per chroma sample, across and down; 1 for other photometrics.
   */
  readonly subsampling: Size;
  /** NewSubfileType (254): 1 a reduced image, 4 a mask. */
  readonly subfile: number;
  readonly offsets: DirectoryEntry;
  /** Absent in some old files of one uncompressed strip. */
  readonly counts: DirectoryEntry | undefined;
}

/** Parses a directory's pixel storage; throws `unreadable` where the fields are contradictory. */
export function* readLayout(file: TiffFile, directory: Directory): Steps<TiffFileLayout> {
  const fields = new LayoutFields(file, directory);
  const { size, tile, tiled } = yield* fields.shape();
  const samples = yield* fields.samples();
  const planar = samples > 1 && (yield* fields.number(tags.planarConfiguration, 1)) === 2;
  const across = Math.ceil(size.width / tile.width);
  const down = Math.ceil(size.height / tile.height);
  checkCount(across * down, tile);
  // Some old writers list tiles as strips.
  const tileOffsets = tiled ? fields.optional(tags.tileOffsets) : undefined;
  const offsets = tileOffsets ?? fields.entry(tags.stripOffsets);
  const counts =
    (tiled ? fields.optional(tags.tileByteCounts) : undefined) ??
    fields.optional(tags.stripByteCounts);
  const tiles = across * down * (planar ? samples : 1);
  if (offsets.count < tiles || (counts !== undefined && counts.count < tiles))
    fail("unreadable", `Expected ${tiles} tiles or strips in the TIFF; it lists ${offsets.count}.`);
  // An offset takes two bytes or more: a list longer than its file is invalid.
  if (tiles > file.bytes.size)
    fail("unreadable", `The TIFF is too small for a list of ${tiles} tiles or strips.`);
  const compression = yield* fields.number(tags.compression, compressions.none);
  return withoutLog({
    directory,
    size,
    tile,
    tiled,
    across,
    down,
    planar,
    compression,
    predictor: predicted.has(compression) ? yield* fields.number(tags.predictor, 1) : 1,
    photometric: yield* fields.photometric(samples),
    samples,
    bits: yield* fields.bits(samples),
    sampleFormat: sampleFormatOf(yield* fields.number(tags.sampleFormat, 1)),
    extra: yield* fields.all(tags.extraSamples, maxSamples),
    subsampling: yield* fields.subsampling(),
    fillOrder: yield* fields.number(tags.fillOrder, 1),
    subfile: yield* fields.subfile(),
    offsets,
    counts,
  });
}

/** Throws for images in absurdly many tiny parts: each costs some work, however little it shows. */
const checkCount = (count: number, tile: Size): void => {
  if (count > fewParts && area(tile) < tinyPart)
    fail(
      "unreadable",
      `Expected at most ${fewParts} tiles or strips of ${tile.width} x ${tile.height} pixels in the TIFF, not ${count}.`,
    );
};

/** A narrow image in strips of one row has as many parts as rows. */
const fewParts = 131_072;
/** Of pixels: 64 x 64. */
const tinyPart = 4_096;

/**
 * SGI's logarithmic luminance is treated as its decoded form: grey, or colours of sRGB's primaries,
 * in 8 bits.
 */
const withoutLog = (layout: TiffFileLayout): TiffFileLayout => {
  const { compression, photometric, samples, planar } = layout;
  const is24 = compression === compressions.sgiLog24;
  if (compression !== compressions.sgiLog && !is24) return layout;
  const isGrey = !is24 && samples === 1 && photometric === photometrics.logL;
  if (planar || !(isGrey || (samples === 3 && photometric === photometrics.logLuv)))
    fail(
      "unreadable",
      `Expected ${is24 ? "" : "LogL of one sample or "}LogLuv of three samples in SGI's compression; the TIFF has photometric ${photometric} and ${samples} samples.`,
    );
  const shown = isGrey ? photometrics.blackIsZero : photometrics.rgb;
  return { ...layout, photometric: shown, bits: 8, sampleFormat: "unsigned" };
};

/** The compressions that use a predictor; for others the field is ignored. */
const predicted: ReadonlySet<number> = new Set([
  compressions.lzw,
  compressions.deflate,
  compressions.oldDeflate,
  compressions.lzma,
  compressions.zstd,
]);

/** The part of a layout that decoding a tile depends on. */
export const sampleLayoutOf = (layout: TiffFileLayout): SampleLayout => {
  const { tile, planar, compression, predictor, photometric } = layout;
  const { samples, bits, sampleFormat, fillOrder } = layout;
  const kind = { compression, predictor, photometric, samples, bits, sampleFormat, fillOrder };
  return { tile, planar, ...kind };
};

/** Whether the last extra sample is opacity. */
export const hasAlpha = (layout: TiffFileLayout): boolean =>
  layout.extra.some((kind) => kind === 1 || kind === 2);

/** Number of samples of the colour itself. */
export const colourSamples = (layout: TiffFileLayout): number => {
  switch (layout.photometric) {
    case photometrics.rgb:
    case photometrics.yCbCr:
    case photometrics.cieLab:
    case photometrics.iccLab:
      return Math.min(3, layout.samples);
    case photometrics.separated:
      return Math.max(1, layout.samples - layout.extra.length);
    default:
      return 1;
  }
};

/** Bytes of a decompressed tile or strip of one plane, with rows padded to whole bytes. */
export const decodedBytes = (layout: SampleLayout, rows: number): number => {
  const samples = layout.planar ? 1 : layout.samples;
  return Math.ceil((layout.tile.width * samples * layout.bits) / 8) * rows;
};

const isSide = (value: number): boolean =>
  Number.isSafeInteger(value) && value > 0 && value <= longestSide;

const sampleFormatOf = (value: number): TiffFileLayout["sampleFormat"] =>
  value === 2 ? "signed" : value === 3 ? "float" : "unsigned";

/** Reads single fields of a directory. */
class LayoutFields {
  readonly #file: TiffFile;
  readonly #directory: Directory;

  constructor(file: TiffFile, directory: Directory) {
    this.#file = file;
    this.#directory = directory;
  }

  /** The size of the image, and of its tiles or strips. */
  *shape(): Steps<Pick<TiffFileLayout, "size" | "tile" | "tiled">> {
    const size = {
      width: yield* this.number(tags.imageWidth, 0),
      height: yield* this.number(tags.imageLength, 0),
    };
    if (!isSide(size.width) || !isSide(size.height))
      fail(
        "unreadable",
        `Expected a TIFF image with a positive size; it has ${size.width} x ${size.height}.`,
      );
    const tiled = this.has(tags.tileWidth) && this.has(tags.tileLength);
    const tile = tiled
      ? {
          width: yield* this.number(tags.tileWidth, 0),
          height: yield* this.number(tags.tileLength, 0),
        }
      : {
          width: size.width,
          height: Math.min(size.height, yield* this.number(tags.rowsPerStrip, size.height)),
        };
    if (!isSide(tile.width) || !isSide(tile.height))
      fail(
        "unreadable",
        `Expected TIFF tiles with a positive size; they have ${tile.width} x ${tile.height}.`,
      );
    return { size, tile, tiled };
  }

  has(tag: number): boolean {
    return this.#directory.entries.has(tag);
  }

  optional(tag: number): DirectoryEntry | undefined {
    return this.#directory.entries.get(tag);
  }

  entry(tag: number): DirectoryEntry {
    return (
      this.optional(tag) ?? fail("unreadable", `Field ${tag} is missing from the TIFF directory.`)
    );
  }

  *all(tag: number, max: number): Steps<number[]> {
    const entry = this.optional(tag);
    if (entry === undefined) return [];
    return yield* readNumbers(this.#file, entry, { to: Math.min(entry.count, max) });
  }

  *number(tag: number, missing: number): Steps<number> {
    return (yield* this.all(tag, 1))[0] ?? missing;
  }

  *samples(): Steps<number> {
    const samples = yield* this.number(tags.samplesPerPixel, 1);
    if (samples < 1 || samples > maxSamples)
      fail("unreadable", `Expected 1 to ${maxSamples} samples per pixel; the TIFF has ${samples}.`);
    return samples;
  }

  *bits(samples: number): Steps<number> {
    const bits = (yield* this.all(tags.bitsPerSample, samples)) as readonly number[];
    const first = bits[0] ?? 1;
    if (first < 1 || first > 64 || bits.some((other) => other !== first))
      fail("unreadable", `Expected samples of one depth, 1 to 64 bits; the TIFF has ${bits}.`);
    return first;
  }

  *photometric(samples: number): Steps<number> {
    const guess = samples >= 3 ? photometrics.rgb : photometrics.blackIsZero;
    return yield* this.number(tags.photometric, guess);
  }

  *subsampling(): Steps<Size> {
    if ((yield* this.number(tags.photometric, photometrics.rgb)) !== photometrics.yCbCr)
      return { width: 1, height: 1 };
    const [width = 2, height = 2] = yield* this.all(tags.yCbCrSubSampling, 2);
    return { width, height };
  }

  /** The old SubfileType (255) says 2 for a reduced image. */
  *subfile(): Steps<number> {
    if (this.has(tags.newSubfileType)) return yield* this.number(tags.newSubfileType, 0);
    return (yield* this.number(tags.subfileType, 1)) === 2 ? 1 : 0;
  }
}
