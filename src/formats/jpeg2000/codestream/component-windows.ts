import { damaged } from "../../containers/index.ts";
import type { GridBox, Resolution, TileComponent } from "./grid.ts";
import type { TileIndex } from "./tile-index.ts";
import { type LevelWindow, levelWindows } from "./windows.ts";

/** The requested part of a component. */
export interface ComponentWanted {
  readonly component: number;
  /** In samples of the resolution. */
  readonly box: GridBox;
  /** The resolution, 0 being the lowest. */
  readonly level: number;
  readonly precision: number;
  readonly signed: boolean;
}

/** The windows of a requested component. */
export interface ComponentWindows {
  readonly wanted: ComponentWanted;
  readonly own: TileComponent;
  readonly levels: readonly LevelWindow[];
}

/** Those of components that are alike are the same. */
export const componentWindows = (
  index: TileIndex,
  components: readonly ComponentWanted[],
): readonly ComponentWindows[] => {
  const all: ComponentWindows[] = [];
  for (const wanted of components) {
    const own = index.grid.components[wanted.component] ?? damaged("a component");
    const before = all.at(-1);
    const levels =
      before !== undefined && areAlike(before, wanted, own)
        ? before.levels
        : levelWindows(own, wanted.box, wanted.level);
    all.push({ wanted, own, levels });
  }
  return all;
};

/** Whether the windows of another component are those of this one. */
const areAlike = (
  other: ComponentWindows,
  { box, level }: ComponentWanted,
  { alike }: TileComponent,
): boolean => {
  const { x0, y0, x1, y1 } = other.wanted.box;
  const isSameBox = x0 === box.x0 && y0 === box.y0 && x1 === box.x1 && y1 === box.y1;
  return isSameBox && other.own.alike === alike && other.wanted.level === level;
};

/** The resolution of a window. */
export const resolutionOf = ({ own }: ComponentWindows, { level }: LevelWindow): Resolution =>
  own.resolutions[level] ?? damaged("a resolution");
