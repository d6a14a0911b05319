import { fail } from "../../../core/errors.ts";
import type { Rect, Size } from "../../../core/geometry.ts";
import type { RangeReader } from "../../../core/range-reader.ts";
import { complete, type Steps, work } from "../../../core/steps.ts";
import {
  type DecodeSamples,
  hasCodec,
  isLab,
  isPacked,
  outputBits,
  type SampleJob,
  type ValueRange,
  type WantedSamples,
  yccMeaning,
} from "../codecs/index.ts";
import {
  type AssembledField,
  assembleTiff,
  carriedFields,
  colourSamples,
  compressionNames,
  compressions,
  decodedBytes,
  decodedPhotometric,
  isOfNumbers,
  photometrics,
  readNumbers,
  type StoredLevel,
  shortField,
  type TiffFile,
  tags,
} from "../structure/index.ts";
import type { Cutout } from "./cut.ts";
import {
  codedFor,
  fillTiles,
  inTurn,
  type LevelRequest,
  rowsOf,
  type StoredTile,
  storedTiles,
  tilesAround,
  tooMuch,
} from "./tiles.ts";

const kept: ReadonlySet<number> = new Set([tags.iccProfile, tags.inkSet]);

/**
 * Whether the samples have to be converted before libvips can show them: unusual depths, signed and
 * floating point numbers, CIELAB, planar tiles, samples that are not colours, JPEG tiles with such,
 * and most YCbCr outside of image compressions.
 */
export const needsRewriting = (level: StoredLevel): boolean => {
  const { bits, samples, sampleFormat, planar, tiled, compression } = level;
  const usual = samples === 1 && !isOfNumbers(compression) ? [1, 2, 4, 8, 16] : [8, 16];
  if (compression === compressions.sgiLog || compression === compressions.sgiLog24) return true;
  if (level.photometric === photometrics.palette) return false;
  if (!usual.includes(bits) || (planar && tiled)) return true;
  if (compression === compressions.jpeg) return tiled && samples !== colourSamples(level);
  if (!hasCodec(compression)) return false;
  if (isStoredYcc(level)) return isWholeYcc(level) || planar || (tiled && isUncompressed(level));
  return sampleFormat !== "unsigned" || isLab(level) || samples !== chosenSamples(level).length;
};

/**
 * Whether YCbCr is stored as plain samples rather than by a compression with its own colour
 * conversion.
 */
const isStoredYcc = ({ compression, photometric }: StoredLevel): boolean =>
  photometric === photometrics.yCbCr &&
  compression !== compressions.jpeg &&
  decodedPhotometric(compression, photometric) === photometrics.yCbCr;

/** YCbCr that libvips would show as if it were RGB. */
const isWholeYcc = (level: StoredLevel): boolean =>
  isStoredYcc(level) &&
  level.samples >= 3 &&
  level.subsampling.width * level.subsampling.height === 1;

const isUncompressed = ({ compression }: StoredLevel): boolean => compression === compressions.none;

/**
 * Has the tiles around a region decoded, and returns their samples in a form that libvips reads.
 */
export function* rewriteTiles(
  file: TiffFile,
  level: StoredLevel,
  wanted: LevelRequest & { readonly decode: DecodeSamples },
): Steps<Cutout> {
  refuse(level);
  const { max, decode } = wanted;
  const area = tilesAround(level, wanted.region);
  const chosen = chosenSamples(level);
  const bits = outputBits(level);
  const planes = level.planar ? chosen.length : 1;
  const length = (area.width * area.height * chosen.length * (bits / 8)) / planes;
  const tileCost = costOfTile(level);
  if (length * planes + tileCost > max) tooMuch(length * planes + tileCost, max);
  const carried = yield* carriedFields(file, level);
  const { file: rewritten, slots } = assembleTiff({
    littleEndian: file.bytes.littleEndian,
    width: area.width,
    height: area.height,
    fields: fieldsOf(file, level, { carried, chosen, bits }),
    lengths: Array.from({ length: planes }, () => length),
  });
  const canvas: Canvas = { slots, area, pixel: (bits / 8) * (chosen.length / planes) };
  const common = {
    ...(yield* codedFor(file, level)),
    range: yield* rangeOf(file, level),
    profiled: carried.some(({ tag }) => tag === tags.iccProfile),
    ycc: isWholeYcc(level) ? yield* yccMeaning(file, level) : undefined,
  };
  const stored = yield* storedTiles(file, level, area);
  const concurrency = Math.floor((max - length * planes) / tileCost);
  const decodeTile = async (
    tile: StoredTile,
    index: number,
    { reader, signal }: { readonly reader: RangeReader; readonly signal: AbortSignal },
  ): Promise<void> => {
    const place = placeOf(level, area, index);
    const plane = level.planar ? chosen.indexOf(place.plane) : 0;
    // A tile that was never written is black, as the canvas already is.
    if (tile.length === 0 || plane < 0) return;
    const [bytes = empty] = await complete(fillTiles(file, [tile]), reader, signal);
    const size = {
      width: Math.min(level.tile.width, area.width - place.x),
      height: Math.min(level.tile.height, area.height - place.y),
    };
    const { range, profiled, ycc, ...coded } = common;
    const channels = level.planar ? [0] : chosen;
    const wanted: WantedSamples = {
      size,
      channels,
      range,
      profiled,
      ...(ycc ? { ycc } : {}),
    };
    const job: SampleJob = { ...coded, bytes, rows: rowsOf(level, area, index), wanted };
    draw(canvas, { pixels: await decode(job, signal), size, ...place, plane });
  };
  // Tiles are read one by one, so that few of them are in memory at a time.
  return yield* work({
    async away(signal, reader) {
      await inTurn(stored, { concurrency, signal }, (tile, index) =>
        decodeTile(tile, index, { reader, signal }),
      );
      return { file: rewritten, area };
    },
  });
}

const empty = new Uint8Array(0);

/**
 * Maximum temporary memory of decoding a tile in bytes: eight-byte numbers, besides everything
 * else.
 */
const costOfTile = (level: StoredLevel): number =>
  decodedBytes(level, level.tile.height) +
  level.tile.width * level.tile.height * (level.planar ? 1 : level.samples) * 10;

/** Destination of the rewritten samples: planar if the level is. */
interface Canvas {
  readonly slots: readonly Uint8Array[];
  readonly area: Rect;
  /** Bytes per pixel in a slot. */
  readonly pixel: number;
}

const draw = (
  { slots, area, pixel }: Canvas,
  part: TilePlacement & { readonly pixels: Uint8Array; readonly size: Size },
): void => {
  const slot = slots[part.plane];
  const rowBytes = part.size.width * pixel;
  for (let y = 0; y < part.size.height; y++)
    slot?.set(
      part.pixels.subarray(y * rowBytes, (y + 1) * rowBytes),
      ((part.y + y) * area.width + part.x) * pixel,
    );
};

/** The samples that are colours, then the one that is opacity, if any. */
const chosenSamples = (level: StoredLevel): number[] => {
  const colours = colourSamples(level);
  const alpha = level.extra.findIndex((kind) => kind === 1 || kind === 2);
  const all = Array.from({ length: colours }, (_, sample) => sample);
  return alpha < 0 || colours + alpha >= level.samples ? all : [...all, colours + alpha];
};

/** Throws `unreadable` for samples that cannot be converted to any form that libvips reads. */
export const refuseSamples = (level: StoredLevel): void => {
  if (needsRewriting(level)) refuse(level);
};

const refuse = (level: StoredLevel): void => {
  const { compression, bits, sampleFormat, predictor } = level;
  if (!hasCodec(compression)) {
    const name = compressionNames[compression] ?? `compression ${compression}`;
    fail("unreadable", `Expected samples of 8 or 16 bits in ${name}; the TIFF has ${bits} bits.`);
  }
  refuseColours(level);
  if (isLab(level) && level.planar) fail("unreadable", "Planar CIELAB is not supported.");
  if (!isOfNumbers(compression) && isPacked(level) && (bits > 32 || sampleFormat !== "unsigned"))
    fail(
      "unreadable",
      `Expected samples of a supported kind; the TIFF has ${sampleFormat} ${bits} bits.`,
    );
  if (predictor === 2 && (bits > 32 || sampleFormat === "float"))
    fail(
      "unreadable",
      `The horizontal predictor is supported for integers only; the TIFF has ${bits}-bit ${sampleFormat} samples.`,
    );
};

const refuseColours = (level: StoredLevel): void => {
  const { compression, bits, samples, planar, subsampling } = level;
  const photometric = decodedPhotometric(compression, level.photometric);
  const isWhole = isWholeYcc(level) && !planar && bits === 8;
  if (photometric === photometrics.yCbCr && !isWhole)
    fail(
      "unreadable",
      `Expected chunky YCbCr with three 8-bit samples; the TIFF has ${samples} ${planar ? "planar" : "chunky"} ${bits}-bit samples, subsampling ${subsampling.width} x ${subsampling.height}, compression ${compression}.`,
    );
  if (photometric > photometrics.iccLab) fail("unreadable", "Unsupported TIFF colour space.");
};

const fieldsOf = (
  file: TiffFile,
  level: StoredLevel,
  options: {
    readonly carried: readonly AssembledField[];
    readonly chosen: readonly number[];
    readonly bits: number;
  },
): AssembledField[] => {
  const { chosen, bits } = options;
  const lab = isLab(level);
  const colours = colourSamples(level);
  const alphaKind =
    chosen.length > colours ? level.extra[(chosen.at(-1) ?? 0) - colours] : undefined;
  const photometric =
    lab || isWholeYcc(level)
      ? photometrics.rgb
      : decodedPhotometric(level.compression, level.photometric);
  return [
    // A profile for L*a*b* does not apply to sRGB.
    ...options.carried.filter(({ tag }) => kept.has(tag) && !(lab && tag === tags.iccProfile)),
    shortField(file, tags.bitsPerSample, ...chosen.map(() => bits)),
    shortField(file, tags.compression, compressions.none),
    shortField(file, tags.photometric, photometric),
    shortField(file, tags.samplesPerPixel, chosen.length),
    shortField(file, tags.planarConfiguration, level.planar && chosen.length > 1 ? 2 : 1),
    ...(alphaKind === undefined ? [] : [shortField(file, tags.extraSamples, alphaKind)]),
  ];
};

function* rangeOf(file: TiffFile, level: StoredLevel): Steps<ValueRange | undefined> {
  const low = level.directory.entries.get(tags.sMinSampleValue);
  const high = level.directory.entries.get(tags.sMaxSampleValue);
  if (low === undefined || high === undefined || level.sampleFormat === "unsigned")
    return undefined;
  const range = {
    low: Math.min(...(yield* readNumbers(file, low))),
    high: Math.max(...(yield* readNumbers(file, high))),
  };
  return range.high > range.low ? range : undefined;
}

interface TilePlacement {
  /** Position of the tile's first pixel within the area. */
  readonly x: number;
  readonly y: number;
  /** The plane's sample index of all of a tile; 0 where pixels are interleaved. */
  readonly plane: number;
}

const placeOf = (level: StoredLevel, area: Rect, index: number): TilePlacement => {
  const across = Math.ceil(area.width / level.tile.width);
  const perPlane = across * Math.ceil(area.height / level.tile.height);
  const inPlane = index % perPlane;
  return {
    x: (inPlane % across) * level.tile.width,
    y: Math.floor(inPlane / across) * level.tile.height,
    plane: Math.floor(index / perPlane),
  };
};
