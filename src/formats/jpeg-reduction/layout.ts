import type { Size } from "../../core/geometry.ts";
import type { Filter } from "../../core/plan.ts";
import type { ScanComponent, SequentialScan } from "../containers/index.ts";
import { type Taps, tapsOf } from "../shared/index.ts";
import type { BlockSide } from "./transformation.ts";

/** How small a JPEG is wanted: at a quarter of its sides or less. */
export interface ReducedImage {
  /** In pixels, of the whole image. */
  readonly size: Size;
  readonly filter: Filter;
}

/** Samples of a component, and what becomes of them, along one axis. */
export interface Axis {
  /** Samples that a block becomes. */
  readonly side: BlockSide;
  /** Samples in a pixel of the reduced image. */
  readonly step: number;
  /** How samples are scaled to pixels; absent: they are pixels. */
  readonly taps: Taps | undefined;
}

/** A component's part in a reduction. */
export interface PlaneLayout {
  readonly component: ScanComponent;
  readonly across: Axis;
  readonly down: Axis;
}

/** What a reduction makes, and of what. */
export interface Layout {
  /** Of the reduced image. */
  readonly size: Size;
  /** Minimum coded units in a row, rows of them, and blocks in each. */
  readonly units: number;
  readonly rows: number;
  readonly blocks: number;
  readonly planes: readonly PlaneLayout[];
}

/** Lays out the reduction of a scan. */
export const layoutOf = (
  { size, components }: Pick<SequentialScan, "size" | "components">,
  { size: wanted, filter }: ReducedImage,
): Layout => {
  const h = Math.max(...components.map((component) => component.h));
  const v = Math.max(...components.map((component) => component.v));
  const shrink = Math.min(size.width / wanted.width, size.height / wanted.height);
  const luma = lumaSide(shrink);
  return {
    size: wanted,
    units: Math.ceil(size.width / (8 * h)),
    rows: Math.ceil(size.height / (8 * v)),
    blocks: components.reduce((sum, component) => sum + component.h * component.v, 0),
    planes: components.map((component, index) => {
      const axis = (own: number, max: number, from: number, to: number): Axis => {
        // Pixels that a sample would be at a side of 8.
        const share = max / own;
        const side = index === 0 ? luma : colourSide((8 * share * to) / from);
        const samples = (from * side) / (8 * share);
        const taps = samples === to ? undefined : tapsTo(to, samples, filter);
        return { side, step: samples / to, taps };
      };
      return {
        component,
        across: axis(component.h, h, size.width, wanted.width),
        down: axis(component.v, v, size.height, wanted.height),
      };
    }),
  };
};

/**
 * Of luma, about twice as many samples are decoded as pixels are wanted, and scaled by the filter:
 * samples are means, which alias.
 */
const lumaSide = (shrink: number): BlockSide => (shrink < 5 ? 4 : shrink < 9 ? 2 : 1);

/** Of the smoother colours, as many samples as pixels; `wanted` is their number in a block. */
const colourSide = (wanted: number): BlockSide => (wanted > 2.02 ? 4 : wanted > 1.01 ? 2 : 1);

const tapsTo = (count: number, samples: number, filter: Filter): Taps => {
  const sampling = { origin: 0, step: samples / count, first: 0, count, last: count - 1 };
  return tapsOf(sampling, { filter, length: Math.ceil(samples), multiple: tapMultiple });
};

/** Taps are in groups of so many. */
export const tapMultiple = 8;
