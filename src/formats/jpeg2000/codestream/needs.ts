import { damaged } from "../../containers/index.ts";
import type { ComponentWanted } from "./component-windows.ts";
import type { Codestream } from "./contract.ts";
import { type GridBox, isEmpty } from "./grid.ts";
import { checkWindow, ofComponent, type PlaneWanted } from "./region.ts";
import type { TileIndex } from "./tile-index.ts";

/** What has to be decoded. */
export interface Needs {
  readonly planes: readonly PlaneWanted[];
  /** In the order of components; more than the planes where these depend on others. */
  readonly needed: readonly Need[];
  /** The index of each plane among these. */
  readonly wanted: readonly number[];
}

/**
 * What has to be decoded for a part of some planes, at a reduction; throws `unreadable` where that
 * is too much.
 */
export const decodingNeedsOf = (
  index: TileIndex,
  { header }: Codestream,
  planes: readonly PlaneWanted[],
  piece: GridBox,
  reduce: number,
): Needs => {
  const numbers = componentsFor(index, planes);
  const needed = numbers.map((component) => {
    const own = header.components[component] ?? damaged("a component");
    return needOf(index, { component, header: own, box: ofComponent(piece, own, reduce) }, reduce);
  });
  checkWindow(needed.map(({ box }) => box));
  return { planes, needed, wanted: planes.map(({ component }) => numbers.indexOf(component)) };
};

/** The components to decode: where the first three are transformed, each needs all of them. */
export const componentsFor = (index: TileIndex, planes: readonly PlaneWanted[]): number[] => {
  const numbers = [...new Set(planes.map(({ component }) => component))];
  const isTransformed = index.transformed && index.grid.components.length >= 3;
  if (!isTransformed || numbers.every((component) => component > 2)) return numbers;
  return [0, 1, 2, ...numbers.filter((component) => component > 2)];
};

export interface Need extends ComponentWanted {
  /** Only every so many samples and rows of the decoded ones are part of the result. */
  readonly step: number;
}

/**
 * What has to be decoded for a part of a plane: more where the tile has fewer levels than the
 * reduction.
 */
export const needOf = (
  index: TileIndex,
  { component, header, box }: PlaneWanted,
  reduce: number,
): Need => {
  const { coding } = (index.grid.components[component] ?? damaged("a component")).parameters;
  const { precision, signed } = header;
  const level = Math.max(0, coding.levels - reduce);
  const step = 2 ** Math.max(0, reduce - coding.levels);
  if (step === 1 || isEmpty(box)) return { component, box, level, precision, signed, step: 1 };
  const { x0, y0, x1, y1 } = box;
  const all = {
    x0: x0 * step,
    y0: y0 * step,
    x1: (x1 - 1) * step + 1,
    y1: (y1 - 1) * step + 1,
  };
  return { component, box: all, level, precision, signed, step };
};
