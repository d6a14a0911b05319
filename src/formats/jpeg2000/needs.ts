import type { ComponentWanted } from "./assignment.ts";
import { damaged } from "./fields.ts";
import { isEmpty } from "./grid.ts";
import type { PlaneWanted } from "./region.ts";
import type { TileIndex } from "./tile-index.ts";

/** The components that have to be decoded: where the first three are transformed, each needs all of them. */
export const componentsFor = (index: TileIndex, planes: readonly PlaneWanted[]): number[] => {
  const numbers = [...new Set(planes.map(({ component }) => component))];
  const isTransformed = index.transformed && index.grid.components.length >= 3;
  if (!isTransformed || numbers.every((component) => component > 2)) return numbers;
  return [0, 1, 2, ...numbers.filter((component) => component > 2)];
};

export interface Need extends ComponentWanted {
  /** Only every so many samples and rows of what is decoded are the answer. */
  readonly step: number;
}

/** What has to be decoded for a piece of a plane: more where the tile has fewer levels than are to be left out. */
export const need = (
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
