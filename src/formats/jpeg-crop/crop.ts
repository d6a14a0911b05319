import type { Size } from "../../core/geometry.ts";
import { loadKernel, reserve } from "../../core/wasm.ts";
import { type ScanComponent, type SequentialScan, scanIn } from "../containers/index.ts";
import { behindClean, type CropKernel, componentWords } from "./kernel.ts";
import { KernelTables } from "./tables.ts";

/**
 * Crops JPEGs at the right and at the bottom without decoding them: coefficients stay as they are, and
 * so do pixels, except that decoders interpolate colours at the new edges from fewer samples.
 */
export class JpegCropper {
  readonly #kernel: CropKernel;
  /** Address of the descriptions of components. */
  readonly #components: number;
  readonly #tables: KernelTables;

  constructor(kernel: CropKernel) {
    this.#kernel = kernel;
    this.#components = (kernel.base() + 63) & ~63;
    const tables = this.#components + maxComponents * componentWords * 4;
    this.#tables = new KernelTables(kernel, tables);
    reserve(kernel, this.#tables.end);
  }

  /**
   * The upper left part of a JPEG of a size, in memory of its own; undefined where it is not
   * sequential, has restart markers, is corrupt, has more than `maxCropBytes`, or where its tables
   * lack a code.
   */
  crop(jpeg: Uint8Array, from: Size, to: Size): Uint8Array | undefined {
    if (jpeg.length > maxCropBytes) return undefined;
    const scan = scanIn(jpeg, from);
    if (scan === undefined || scan.restartInterval !== 0) return undefined;
    if (!scan.components.every((component, index) => this.#describe(component, index)))
      return undefined;
    const data = this.#cropped(jpeg.subarray(scan.start), scan, to);
    if (data === undefined) return undefined;
    const bytes = new Uint8Array(scan.start + data.length);
    bytes.set(jpeg.subarray(0, scan.start));
    bytes.set(data, scan.start);
    const view = new DataView(bytes.buffer);
    view.setUint16(scan.frame + heightAt, to.height);
    view.setUint16(scan.frame + heightAt + 2, to.width);
    return bytes;
  }

  /** The data of the upper left part of a scan, in the kernel's memory. */
  #cropped(data: Uint8Array, scan: SequentialScan, to: Size): Uint8Array | undefined {
    const kernel = this.#kernel;
    const units = unitsOf(scan.size, scan);
    const kept = unitsOf(to, scan);
    const from = this.#tables.end;
    const clean = from + data.length;
    const target = clean + data.length + behindClean;
    reserve(kernel, target + 2 * data.length + 16 * kept.down + behindTarget);
    new Uint8Array(kernel.memory.buffer, from, data.length).set(data);
    const count = scan.components.length;
    const end = kernel.cropScan(
      ...[this.#components, count, from, clean, clean, target],
      ...[units.across, kept.across, kept.down],
    );
    return end === 0 ? undefined : new Uint8Array(kernel.memory.buffer, target, end - target);
  }

  /** Describes a component to the kernel; false where a table is invalid. */
  #describe({ h, v, dc, ac }: ScanComponent, index: number): boolean {
    const tables = [this.#tables.of(dc, true), this.#tables.of(ac, false)];
    const [differences, coefficients] = tables;
    if (differences === undefined || coefficients === undefined) return false;
    const at = this.#components + index * componentWords * 4;
    const words = new Uint32Array(this.#kernel.memory.buffer, at, componentWords);
    words.set([h * v, differences, coefficients, 0, 0]);
    return true;
  }
}

/** A cropper with its own memory. */
export const loadJpegCropper = async (): Promise<JpegCropper> =>
  new JpegCropper(await loadKernel<CropKernel>("jpeg"));

/** Larger JPEGs would block the event loop for milliseconds. */
export const maxCropBytes = 262_144;

const maxComponents = 3;

/** The height's position in a frame header, before the width (ITU-T T.81, B.2.2). */
const heightAt = 5;

/** How far the kernel writes beyond what it says. */
const behindTarget = 64;

/** Minimum coded units across and down, of which the last may be incomplete. */
interface Units {
  readonly across: number;
  readonly down: number;
}

const unitsOf = ({ width, height }: Size, { components }: SequentialScan): Units => {
  const { h, v } = components[0] ?? { h: 1, v: 1 };
  return { across: Math.ceil(width / (8 * h)), down: Math.ceil(height / (8 * v)) };
};
