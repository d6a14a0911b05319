import type { FileHandle } from "node:fs/promises";
import type { Size } from "../../../core/geometry.ts";
import { type AssembledField, longs, shorts, tags } from "../../tiff/structure/index.ts";
import type { CarriedMetadata } from "./carried.ts";
import {
  directoryBytes,
  type FileField,
  headerBytes,
  positions,
  type Width,
  writePosition,
} from "./directories.ts";
import { halfOf, hasAlpha, type SampleLayout } from "./samples.ts";

/** A pyramid to be written. */
export interface PyramidPlan {
  /** Full size in pixels. */
  readonly size: Size;
  readonly layout: SampleLayout;
  /** Both sides of a tile, in pixels: a multiple of 16. */
  readonly tile: number;
  /**
   * Whether reduced levels are pages of their own or directories below the first (TIFF Technical
   * Note 1).
   */
  readonly levels: "pages" | "subifds";
  /**
   * Levels beyond the first that is a single tile are added as long as their shorter side has so
   * many pixels. Absent: none are.
   */
  readonly minSide?: number | undefined;
}

/** The metadata in a pyramid's first directory. */
export interface PyramidExtras {
  readonly metadata: CarriedMetadata;
  /** ICC. */
  readonly profile: Uint8Array | undefined;
}

/** A level whose tiles are in the file: row by row, as offsets in the file. */
export interface WrittenLevel {
  readonly size: Size;
  readonly offsets: ArrayLike<number>;
  readonly lengths: ArrayLike<number>;
}

/** A written level, and the fields that its tiles are decoded by. */
export interface EncodedLevel extends WrittenLevel {
  readonly encoding: readonly AssembledField[];
}

/** The sizes of all levels, each half the one before, rounded up: see `PyramidPlan.minSide`. */
export const levelSizes = ({
  size,
  tile,
  minSide = Number.POSITIVE_INFINITY,
}: Pick<PyramidPlan, "size" | "tile" | "minSide">): readonly Size[] => {
  const sizes = [size];
  let last = size;
  // Exact, where the sides of levels are rounded.
  let shorter = Math.min(size.width, size.height) / 2;
  while (last.width > tile || last.height > tile || shorter >= minSide) {
    last = halfOf(last);
    shorter /= 2;
    sizes.push(last);
  }
  return sizes;
};

/** A file that is appended to. */
export class GrowingFile {
  readonly #file: Pick<FileHandle, "write">;
  #end: number;

  /** Begins to write after the first `end` bytes. */
  constructor(file: Pick<FileHandle, "write">, end: number) {
    this.#file = file;
    this.#end = end;
  }

  /** Length of the file in bytes. */
  get end(): number {
    return this.#end;
  }

  /**
   * Position of the next bytes: everything in a TIFF begins on a word boundary (TIFF 6.0, section
   * 2).
   */
  get next(): number {
    return this.#end + (this.#end & 1);
  }

  /** Appends bytes to the file; returns their position. Several writes may be in flight. */
  async append(bytes: Uint8Array): Promise<number> {
    const at = this.next;
    this.#end = at + bytes.length;
    await this.writeAt(bytes, at);
    return at;
  }

  async writeAt(bytes: Uint8Array, at: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, at + done);
      done += bytesWritten;
    }
  }
}

/**
 * Writes the directories of a pyramid after its tiles, and the header that leads to them, for which
 * the first 16 bytes of the file are reserved. It is a BigTIFF where offsets need that.
 */
export const finishPyramid = async (
  file: GrowingFile,
  plan: PyramidPlan,
  parts: {
    readonly levels: readonly EncodedLevel[];
    readonly extras: PyramidExtras;
  },
): Promise<void> => {
  const { levels, extras } = parts;
  const big = file.end + roomForDirectories(levels, extras) > maxClassic;
  const shared = await sharedFields(file, plan, extras);
  const leads = await metadataLeads(file, extras.metadata, { big });
  const [full, ...reduced] = levels;
  if (full === undefined) return;
  const asPages = plan.levels === "pages";
  // From the smallest, since each page references the next one.
  const found: number[] = [];
  let next = 0;
  for (const level of [...reduced].reverse()) {
    const fields = [...shared, ...levelFields(level, { big, reduced: true })];
    const at = await appendDirectory(file, fields, { big, next: asPages ? next : 0 });
    found.unshift(at);
    next = at;
  }
  const below =
    asPages || found.length === 0 ? [] : [positions(tags.subIfds, found, directories(big))];
  const fields = [
    ...shared,
    ...levelFields(full, { big, reduced: false }),
    ...extras.metadata.image,
    ...leads,
    ...below,
  ];
  const first = await appendDirectory(file, fields, { big, next: asPages ? next : 0 });
  await file.writeAt(headerBytes(first, { big }), 0);
};

/** Fields common to the directories of all levels; the profile is written once. */
const sharedFields = async (
  file: GrowingFile,
  { layout, tile }: PyramidPlan,
  { profile }: Pick<PyramidExtras, "profile">,
): Promise<readonly FileField[]> => {
  const { samples, bits } = layout;
  const fields: FileField[] = [
    shorts(tags.bitsPerSample, ...Array.from({ length: samples }, () => bits)),
    shorts(tags.samplesPerPixel, samples),
    shorts(tags.planarConfiguration, 1),
    shorts(tags.orientation, 1),
    longs(tags.tileWidth, tile),
    longs(tags.tileLength, tile),
    // Opacity, not premultiplied.
    ...(hasAlpha(layout) ? [shorts(tags.extraSamples, 2)] : []),
  ];
  if (profile === undefined) return fields;
  const at = await file.append(profile);
  return [...fields, { tag: tags.iccProfile, type: 7, count: profile.length, at }];
};

/** Writes the directories of Exif and GPS; returns the fields that lead to them. */
const metadataLeads = async (
  file: GrowingFile,
  { exif, gps }: CarriedMetadata,
  { big }: Width,
): Promise<readonly AssembledField[]> => {
  const leads: AssembledField[] = [];
  for (const [tag, fields] of [
    [exifLead, exif],
    [gpsLead, gps],
  ] as const)
    if (fields.length > 0)
      leads.push(positions(tag, [await appendDirectory(file, fields, { big })], directories(big)));
  return leads;
};

/** Returns the position of the directory. */
const appendDirectory = async (
  file: GrowingFile,
  fields: readonly FileField[],
  { big, next = 0 }: Width & { readonly next?: number },
): Promise<number> => {
  const directory = directoryBytes(fields, { at: file.next, big });
  writePosition(new DataView(directory.bytes.buffer), directory.link, next, { big });
  return file.append(directory.bytes);
};

const levelFields = (
  { size, offsets, lengths, encoding }: EncodedLevel,
  { big, reduced }: Width & { readonly reduced: boolean },
): readonly AssembledField[] => [
  ...encoding,
  longs(tags.newSubfileType, reduced ? 1 : 0),
  longs(tags.imageWidth, size.width),
  longs(tags.imageLength, size.height),
  positions(tags.tileOffsets, offsets, { big }),
  positions(tags.tileByteCounts, lengths, { big: false }),
];

/** Upper bound of everything still to be written. */
const roomForDirectories = (
  levels: readonly WrittenLevel[],
  { metadata, profile }: PyramidExtras,
): number => {
  const fields = [...metadata.image, ...metadata.exif, ...metadata.gps];
  const said = fields.reduce((sum, { bytes }) => sum + bytes.length + fieldRoom, 0);
  const tiles = levels.reduce((sum, { offsets }) => sum + offsets.length, 0);
  return said + (profile?.length ?? 0) + tiles * tileRoom + levels.length * levelRoom;
};

const exifLead = 34_665;
const gpsLead = 34_853;

const directories = (big: boolean) => ({ big, directories: true }) as const;

/** Beyond this, offsets do not fit into 32 bits. */
const maxClassic = 2 ** 32 - 1;
/** Generous sizes of a tile's offset and length, of a field, and of the rest of a level. */
const tileRoom = 16;
const fieldRoom = 32;
const levelRoom = 4_096;
