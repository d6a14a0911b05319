import { type FileHandle, open } from "node:fs/promises";
import { endianness } from "node:os";
import { fail } from "../../../core/errors.ts";
import type { Size } from "../../../core/geometry.ts";

/** The form of a staged image and of its tiles. */
interface StagedForm {
  /** In pixels. */
  readonly size: Size;
  /** Per pixel, of 8 bits each. */
  readonly samples: number;
  /** Both sides of a tile in pixels. */
  readonly tile: number;
}

/** An image, staged in libvips' own format, whose tiles are read some of a row at a time. */
export class StagedTiles {
  /** How many tiles of a row are in memory at a time. */
  readonly atOnce: number;
  readonly #file: FileHandle;
  readonly #form: StagedForm;
  readonly #pixels: Uint8Array;
  /** The columns of pixels in memory: the first one, and their number. */
  #left = 0;
  #width = 0;
  /** The number of rows of pixels in memory. */
  #rows = 0;

  private constructor(file: FileHandle, form: StagedForm, maxBytes: number) {
    const { size, samples, tile } = form;
    const rows = Math.min(tile, size.height);
    const across = Math.ceil(size.width / tile);
    this.atOnce = Math.max(1, Math.min(across, Math.floor(maxBytes / (tile * rows * samples))));
    this.#pixels = new Uint8Array(Math.min(size.width, this.atOnce * tile) * rows * samples);
    this.#file = file;
    this.#form = form;
  }

  /**
   * Opens a staged image of a known form. Holds at most so many bytes of pixels in memory, but at
   * least one tile. Throws `internal` if the image has another form.
   */
  static async open(path: string, form: StagedForm, maxBytes = usualBytes): Promise<StagedTiles> {
    const file = await open(path, "r");
    try {
      const head = Buffer.alloc(headerBytes);
      await file.read(head, 0, head.length, 0);
      const [width, height, bands] = [4, 8, 12].map((at) =>
        endianness() === "LE" ? head.readInt32LE(at) : head.readInt32BE(at),
      );
      const { size, samples } = form;
      if (width !== size.width || height !== size.height || bands !== samples)
        fail(
          "internal",
          `Expected a staged image of ${size.width} x ${size.height} pixels of ${samples} samples, got ${width} x ${height} of ${bands}.`,
        );
      return new StagedTiles(file, form, maxBytes);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /**
   * Reads `atOnce` tiles of a row of tiles, or as many as are left; row and first column are counted
   * in tiles from 0. Throws `internal` if the file is cut off.
   */
  async read(row: number, first: number): Promise<void> {
    const { size, samples, tile } = this.#form;
    this.#left = first * tile;
    this.#width = Math.min(this.atOnce * tile, size.width - this.#left);
    const top = row * tile;
    const rows = Math.min(tile, size.height - top);
    this.#rows = rows;
    // Complete rows of pixels are one piece.
    const [pieces, height] = this.#width === size.width ? [1, rows] : [rows, 1];
    const length = this.#width * height * samples;
    for (let piece = 0; piece < pieces; piece++) {
      const at = headerBytes + ((top + piece) * size.width + this.#left) * samples;
      const { bytesRead } = await this.#file.read(this.#pixels, piece * length, length, at);
      if (bytesRead < length)
        fail("internal", `Expected ${length} bytes of a staged image, got ${bytesRead}.`);
    }
  }

  /**
   * Copies a tile of the row that was read last, `column` counted in tiles from 0. At the edges of
   * the image it is extended by its last column and row.
   */
  copy(column: number, to: Uint8Array): void {
    const { size, samples, tile } = this.#form;
    const left = column * tile;
    const length = Math.min(tile, size.width - left) * samples;
    const stride = tile * samples;
    for (let y = 0; y < this.#rows; y++) {
      const from = (y * this.#width + left - this.#left) * samples;
      to.set(this.#pixels.subarray(from, from + length), y * stride);
      for (let at = y * stride + length; at < (y + 1) * stride; at++)
        to[at] = to[at - samples] as number;
    }
    for (let y = this.#rows; y < tile; y++)
      to.copyWithin(y * stride, (this.#rows - 1) * stride, this.#rows * stride);
  }
}

/** Complete rows of tiles of 512 x 512 pixels up to 43,690 pixels in RGB. */
const usualBytes = 67_108_864;

/** Of libvips' own format: pixels follow, row after row without gaps. */
const headerBytes = 64;
