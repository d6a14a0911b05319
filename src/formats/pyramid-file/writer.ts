import type { FileHandle } from "node:fs/promises";
import { fail } from "../../core/errors.ts";
import type { Size } from "../../core/geometry.ts";
import type { Field } from "../tiff-assembly.ts";
import { tags } from "../tiff-tags.ts";
import type { Carried } from "./carried.ts";
import {
  type DirectoryBytes,
  directoryBytes,
  type FileField,
  headerBytes,
  headerSize,
  longs,
  positions,
  shorts,
  type Width,
  writePosition,
} from "./directories.ts";
import {
  cutTile,
  halfOf,
  halveRows,
  hasAlpha,
  type Layout,
  newSamples,
  type Samples,
} from "./samples.ts";
import type { TileEncoder } from "./tile-encoders.ts";

/** A pyramid that is to be written. */
export interface PyramidPlan {
  /** Of the full size, in pixels. */
  readonly size: Size;
  readonly layout: Layout;
  /** Both sides of a tile, in pixels: a multiple of 16. */
  readonly tile: number;
  /** Whether reduced levels are pages of their own or directories below the first (TIFF Technical Note 1). */
  readonly levels: "pages" | "subifds";
  /** How many tiles are encoded at a time. */
  readonly atOnce: number;
}

/** What a pyramid's first directory says beside its pixels. */
export interface PyramidExtras {
  readonly metadata: Carried;
  /** ICC. */
  readonly profile: Uint8Array | undefined;
}

/** A level under way: rows that do not make up tiles yet, and where its tiles are. */
interface Level {
  readonly size: Size;
  readonly rows: Samples;
  /** How many rows there are in `rows`. */
  filled: number;
  /** Rows that are in the file. */
  done: number;
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
}

/**
 * Writes a tiled pyramid row by row, in memory for a row of tiles of each level: the tiles as they come, and
 * behind them all the directories. It is a BigTIFF where positions need that.
 */
export class PyramidWriter {
  readonly #file: Pick<FileHandle, "write">;
  readonly #plan: PyramidPlan;
  readonly #encoder: TileEncoder;
  readonly #levels: readonly Level[];
  #end = headerSize;

  constructor(file: Pick<FileHandle, "write">, plan: PyramidPlan, encoder: TileEncoder) {
    this.#file = file;
    this.#plan = plan;
    this.#encoder = encoder;
    this.#levels = sizesOf(plan).map((size) => levelOf(size, plan));
  }

  /** The next rows of the full size, any number of them; they are used up. */
  async add(rows: Samples, signal: AbortSignal): Promise<void> {
    const [first] = this.#levels;
    if (first !== undefined) await this.#addTo(first, rows, signal);
  }

  /** Ends the file once all rows are in it; answers its length in bytes. */
  async finish(extras: PyramidExtras): Promise<number> {
    for (const { size, done } of this.#levels)
      if (done !== size.height)
        fail("internal", `Expected ${size.height} rows of a level, got ${done}.`);
    const big = this.#end + this.#roomForDirectories(extras) > mostClassic;
    const shared = await this.#sharedFields(extras);
    await this.#writeDirectories({ ...extras, shared, big });
    return this.#end;
  }

  async #addTo(level: Level, rows: Samples, signal: AbortSignal): Promise<void> {
    const stride = level.size.width * this.#plan.layout.samples;
    for (let at = 0; at < rows.length; ) {
      const free = this.#plan.tile - level.filled;
      const count = Math.min(free, (rows.length - at) / stride);
      level.rows.set(rows.subarray(at, at + count * stride), level.filled * stride);
      level.filled += count;
      at += count * stride;
      if (level.filled === this.#plan.tile || level.done + level.filled === level.size.height)
        await this.#flush(level, signal);
    }
  }

  /** Writes a row of tiles, and gives its half to the next level. */
  async #flush(level: Level, signal: AbortSignal): Promise<void> {
    const { tile, layout, atOnce } = this.#plan;
    const band = { rows: level.rows, width: level.size.width, height: level.filled };
    const across = Math.ceil(level.size.width / tile);
    const first = Math.floor(level.done / tile) * across;
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < across) {
        signal.throwIfAborted();
        const column = next++;
        const cut = cutTile(band, { x: column * tile, tile }, layout);
        const bytes = await this.#encoder.encode(cut);
        level.offsets[first + column] = await this.#append(bytes);
        level.lengths[first + column] = bytes.length;
      }
    };
    await allOf(Array.from({ length: Math.min(atOnce, across) }, work));
    level.done += level.filled;
    const below = this.#levels[this.#levels.indexOf(level) + 1];
    const halves = below && this.#halvesOf(level);
    level.filled = 0;
    if (below && halves) await this.#addTo(below, halves, signal);
  }

  /** As tiles have an even number of rows, only the last row of a level may be without another. */
  #halvesOf({ size: { width }, rows, filled }: Level): Samples {
    const { layout } = this.#plan;
    const { samples } = layout;
    const stride = width * samples;
    const half = Math.ceil(width / 2) * samples;
    const pairs = Math.ceil(filled / 2);
    const halves = newSamples(layout, pairs * half);
    const row = (index: number): Samples => {
      const from = Math.min(index, filled - 1) * stride;
      return rows.subarray(from, from + stride);
    };
    for (let pair = 0; pair < pairs; pair++)
      halveRows(
        { above: row(pair * 2), below: row(pair * 2 + 1), width },
        samples,
        halves.subarray(pair * half, (pair + 1) * half),
      );
    return halves;
  }

  /** Puts bytes at the end of the file; answers where. */
  async #append(bytes: Uint8Array): Promise<number> {
    const at = this.#end + (this.#end & 1);
    this.#end = at + bytes.length;
    await this.#writeAt(bytes, at);
    return at;
  }

  async #writeAt(bytes: Uint8Array, at: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, at + done);
      done += bytesWritten;
    }
  }

  /** More than all that is still to be written takes. */
  #roomForDirectories({ metadata, profile }: PyramidExtras): number {
    const fields = [...metadata.image, ...metadata.exif, ...metadata.gps];
    const said = fields.reduce((sum, { bytes }) => sum + bytes.length + fieldRoom, 0);
    const tiles = this.#levels.reduce((sum, { offsets }) => sum + offsets.length, 0);
    return said + (profile?.length ?? 0) + tiles * tileRoom + this.#levels.length * levelRoom;
  }

  /** What the directories of all levels have in common, written once. */
  async #sharedFields({ profile }: PyramidExtras): Promise<readonly FileField[]> {
    const { layout, tile } = this.#plan;
    const { samples, bits } = layout;
    const fields: FileField[] = [
      shorts(tags.bitsPerSample, ...Array.from({ length: samples }, () => bits)),
      shorts(tags.samplesPerPixel, samples),
      shorts(tags.planarConfiguration, 1),
      shorts(tags.orientation, 1),
      longs(tags.tileWidth, tile),
      longs(tags.tileLength, tile),
      // Transparency that is not multiplied into the colours.
      ...(hasAlpha(layout) ? [shorts(tags.extraSamples, 2)] : []),
      ...this.#encoder.fields(),
    ];
    if (profile === undefined) return fields;
    const at = await this.#append(profile);
    return [...fields, { tag: tags.iccProfile, type: 7, count: profile.length, at }];
  }

  async #writeDirectories({
    metadata,
    shared,
    big,
  }: PyramidExtras & Width & { readonly shared: readonly FileField[] }): Promise<void> {
    const leads: Field[] = [];
    for (const [tag, fields] of [
      [exifLead, metadata.exif],
      [gpsLead, metadata.gps],
    ] as const)
      if (fields.length > 0)
        leads.push(
          positions(tag, [await this.#appendDirectory(fields, { big })], directories(big)),
        );
    const [full, ...reduced] = this.#levels;
    if (full === undefined) return;
    const asPages = this.#plan.levels === "pages";
    // From the smallest, as each page says where the next one is.
    const found: number[] = [];
    let next = 0;
    for (const level of [...reduced].reverse()) {
      const fields = [...shared, ...levelFields(level, { big, reduced: true })];
      const at = await this.#appendDirectory(fields, { big, next: asPages ? next : 0 });
      found.unshift(at);
      next = at;
    }
    const below =
      asPages || found.length === 0 ? [] : [positions(tags.subIfds, found, directories(big))];
    const fields = [
      ...shared,
      ...levelFields(full, { big, reduced: false }),
      ...metadata.image,
      ...leads,
      ...below,
    ];
    const first = await this.#appendDirectory(fields, { big, next: asPages ? next : 0 });
    await this.#writeAt(headerBytes(first, { big }), 0);
  }

  /** Answers where the directory is. */
  async #appendDirectory(
    fields: readonly FileField[],
    { big, next = 0 }: Width & { readonly next?: number },
  ): Promise<number> {
    const at = this.#end + (this.#end & 1);
    const directory: DirectoryBytes = directoryBytes(fields, { at, big });
    writePosition(new DataView(directory.bytes.buffer), directory.link, next, { big });
    return this.#append(directory.bytes);
  }
}

const exifLead = 34_665;
const gpsLead = 34_853;

const directories = (big: boolean) => ({ big, directories: true }) as const;

/** Beyond this, positions do not fit into 32 bits. */
const mostClassic = 2 ** 32 - 1;
/** Bytes of a position and a length of a tile, of a field, and of all else of a level, generously. */
const tileRoom = 16;
const fieldRoom = 32;
const levelRoom = 4_096;

/** The sizes of all levels, down to one that is a single tile. */
const sizesOf = ({ size, tile }: PyramidPlan): readonly Size[] => {
  const sizes = [size];
  for (let last = size; last.width > tile || last.height > tile; sizes.push(last))
    last = halfOf(last);
  return sizes;
};

const levelOf = (size: Size, { tile, layout }: PyramidPlan): Level => {
  const tiles = Math.ceil(size.width / tile) * Math.ceil(size.height / tile);
  const stride = size.width * layout.samples;
  return {
    size,
    rows: newSamples(layout, stride * Math.min(tile, size.height)),
    filled: 0,
    done: 0,
    offsets: new Float64Array(tiles),
    lengths: new Float64Array(tiles),
  };
};

const levelFields = (
  { size, offsets, lengths }: Level,
  { big, reduced }: Width & { readonly reduced: boolean },
): readonly Field[] => [
  longs(tags.newSubfileType, reduced ? 1 : 0),
  longs(tags.imageWidth, size.width),
  longs(tags.imageLength, size.height),
  positions(tags.tileOffsets, offsets, { big }),
  positions(tags.tileByteCounts, lengths, { big: false }),
];

/** Waits for all, also where one fails: what the others write must have ended before the file goes away. */
const allOf = async (works: readonly Promise<void>[]): Promise<void> => {
  for (const outcome of await Promise.allSettled(works))
    if (outcome.status === "rejected") throw outcome.reason;
};
