import { type FileHandle, open } from "node:fs/promises";
import { endianness } from "node:os";
import { fail } from "../../../core/errors.ts";
import type { Size } from "../../../core/geometry.ts";

/** An image of 8-bit samples, staged in libvips' own format, that is read in rows of tiles. */
export class StagedTiles {
  readonly #file: FileHandle;
  readonly #size: Size;
  readonly #samples: number;
  readonly #tile: number;
  readonly #band: Uint8Array;

  private constructor(
    file: FileHandle,
    {
      size,
      samples,
      tile,
    }: { readonly size: Size; readonly samples: number; readonly tile: number },
  ) {
    this.#file = file;
    this.#size = size;
    this.#samples = samples;
    this.#tile = tile;
    this.#band = new Uint8Array(size.width * samples * Math.min(tile, size.height));
  }

  /**
   * Opens a staged image of a known size and number of samples; `tile` is both sides of a tile, in
   * pixels. Holds one row of tiles in memory.
   */
  static async open(
    path: string,
    form: { readonly size: Size; readonly samples: number; readonly tile: number },
  ): Promise<StagedTiles> {
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
      return new StagedTiles(file, form);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Reads a row of tiles, counted from 0. */
  async readRow(row: number): Promise<void> {
    const { width, height } = this.#size;
    const y = row * this.#tile;
    const rows = Math.min(this.#tile, height - y);
    const stride = width * this.#samples;
    const { bytesRead } = await this.#file.read(
      this.#band,
      0,
      rows * stride,
      headerBytes + y * stride,
    );
    if (bytesRead < rows * stride)
      fail("internal", `Expected ${rows * stride} bytes of a staged image, got ${bytesRead}.`);
  }

  /**
   * Copies a tile of the row that was read last: `rows` rows of so many pixels from column `left`,
   * without gaps.
   */
  copy(
    { left, width, rows }: { readonly left: number; readonly width: number; readonly rows: number },
    to: Uint8Array,
  ): void {
    const stride = this.#size.width * this.#samples;
    const length = width * this.#samples;
    for (let y = 0; y < rows; y++) {
      const from = y * stride + left * this.#samples;
      to.set(this.#band.subarray(from, from + length), y * length);
    }
  }
}

/** Of libvips' own format: pixels follow, row after row without gaps. */
const headerBytes = 64;
