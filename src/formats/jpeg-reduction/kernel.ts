import type { Kernel } from "../../core/wasm.ts";

/** The exports of `assembly/jpeg`. Addresses in its memory, strides and positions are in bytes. */
export interface JpegKernel extends Kernel {
  /** Start of memory available to callers. */
  base(): number;
  /** The size of a Huffman table. */
  tableBytes(): number;
  /** Makes a Huffman table of a definition; returns 0 where it is none. */
  addTable(table: number, definition: number, isDc: number): number;
  /** Begins a scan with restart markers after so many units each; 0: there are none. */
  begin(restartInterval: number): void;
  /** Continues with the bytes of this half-open range, behind which 8 more can be read. */
  supply(from: number, end: number): void;
  /**
   * The address of the first marker that ends a scan and lies in this half-open range with both its
   * bytes; `end` where there is none. Reads up to 15 bytes beyond.
   */
  findMarker(from: number, end: number): number;
  /** The address of the first unread byte. */
  position(): number;
  /** Decodes a row of units; returns 0 where the data is corrupt or ends too early. */
  decodeRow(components: number, count: number, units: number): number;
  /** Scales a row of samples, each of them the sum of `eights` groups of eight. */
  scaleAcross(
    to: number,
    from: number,
    count: number,
    starts: number,
    weights: number,
    eights: number,
  ): void;
  /** The weighted sum of pairs of rows, whose addresses are at `rows`. */
  scaleDown(to: number, rows: number, pairs: number, weights: number, count: number): void;
  /** Converts samples to RGB of 8 bits. */
  colour(to: number, luma: number, blue: number, red: number, count: number): void;
  /** Converts samples to grey of 8 bits. */
  grey(to: number, luma: number, count: number): void;
}
