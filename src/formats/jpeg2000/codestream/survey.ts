import { damaged } from "../../containers/index.ts";
import type { RegionSurvey, RegionWanted } from "./contract.ts";
import { isEmpty, type Resolution, shared, tileBox } from "./grid.ts";
import type { Indexes } from "./indexes.ts";
import type { KnownBlocks } from "./known-blocks.ts";
import { componentsFor, needOf } from "./needs.ts";
import { ofComponent, planesWanted, regionBox, tilesIn } from "./region.ts";
import { blocksOf, type LevelWindow, levelWindows, precinctsOf } from "./windows.ts";
import { WorkBudget } from "./work-budget.ts";

/** Determines what decoding a region would read, by packet headers alone. */
export const survey = async (wanted: RegionWanted, indexes: Indexes): Promise<RegionSurvey> => {
  const { codestream, reader, reduce, signal, maxLayers } = wanted;
  const { header } = codestream;
  const region = regionBox(wanted);
  const planes = planesWanted(wanted);
  const workBudget = new WorkBudget(signal);
  const sum = { tiles: 0, blocks: 0, bytes: 0 };
  for (const tile of tilesIn(header, region)) {
    const index = await indexes.tile(codestream, tile, reader, workBudget);
    const box = shared(region, tileBox(header, tile));
    const layers = maxLayers ?? index.layers;
    const parts = componentsFor(index, planes).flatMap((component) => {
      const own = header.components[component] ?? damaged("a component");
      const plane = { component, header: own, box: ofComponent(box, own, reduce) };
      const needed = needOf(index, plane, reduce);
      const grid = index.grid.components[component];
      return grid === undefined || isEmpty(needed.box)
        ? []
        : levelWindows(grid, needed.box, needed.level).map((level) => ({
            resolution: grid.resolutions[level.level] ?? damaged("a resolution"),
            level,
          }));
    });
    const precincts = parts.map(({ resolution, level }) =>
      precinctsOf(resolution, blocksOf(level)),
    );
    const known = await index.know(precincts, layers, reader, workBudget);
    for (const part of parts) count(known, part, layers, sum);
    sum.tiles++;
    indexes.weigh(codestream, tile);
  }
  return sum;
};

/** A requested window and its resolution. */
interface ResolutionWindow {
  readonly resolution: Resolution;
  readonly level: LevelWindow;
}

const count = (
  known: KnownBlocks,
  { resolution, level: { bands } }: ResolutionWindow,
  layers: number,
  sum: { blocks: number; bytes: number },
): void => {
  for (const { order, cells } of bands)
    for (let row = cells.y; row < cells.y + cells.rows; row++)
      for (let column = cells.x; column < cells.x + cells.columns; column++) {
        const { pieces } = known.of({ resolution, band: order, column, row }, layers);
        if (pieces.length > 0) sum.blocks++;
        sum.bytes += pieces.reduce((bytes, { length }) => bytes + length, 0);
      }
};
