import type { Kernel } from "../../core/wasm.ts";

/** Those exports of `assembly/jpeg` that crop. Addresses in its memory are in bytes. */
export interface CropKernel extends Kernel {
  /** Start of memory available to callers. */
  base(): number;
  /** The size of a Huffman table. */
  tableBytes(): number;
  /** Makes a Huffman table of a definition; returns 0 where it is none. */
  addTable(table: number, definition: number, isDc: number): number;
  /**
   * Copies the data of the upper left part of a scan: `kept` of `units` units in each of `rows` rows,
   * of the half-open range from `from` to `end`. At `clean` there has to be room for as many bytes and
   * `behindClean` more, at `to` for twice as many, and 16 for each row. Returns the end of what was
   * written; 0 where that is impossible.
   */
  cropScan(
    components: number,
    count: number,
    from: number,
    end: number,
    clean: number,
    to: number,
    units: number,
    kept: number,
    rows: number,
  ): number;
}

/** Bytes that may be read behind the data without stuffed bytes. */
export const behindClean = 512;

/** 32-bit numbers that describe a component: blocks in a unit, two tables, and two to work with. */
export const componentWords = 5;
