import { type Steps, work } from "../../../core/steps.ts";
import { damaged } from "../../containers/index.ts";
import type { BlockCache } from "./block-cache.ts";
import {
  type ComponentWanted,
  type ComponentWindows,
  componentWindows,
  resolutionOf,
} from "./component-windows.ts";
import { type BandPart, type BlockSources, JobBlocks } from "./gathered.ts";
import type { BandJob, ComponentJob, LevelJob, WindowJob } from "./job.ts";
import type { JobMemory } from "./job-memory.ts";
import { KnownSlices } from "./known-blocks.ts";
import type { TileIndex } from "./tile-index.ts";
import { unknownOf } from "./unknown-blocks.ts";
import type { LevelWindow } from "./windows.ts";
import type { WorkBudget } from "./work-budget.ts";

/** The requested part of a tile. */
export interface WindowWanted
  extends Pick<WindowJob, "transformed" | "wanted" | "interleaved" | "jpeg" | "left"> {
  readonly components: readonly ComponentWanted[];
  readonly layers: number;
}

/** A job, and its use of the block cache. */
export interface Assignment {
  readonly job: WindowJob;
  /**
   * To be called once the job has ended, with its success; nothing may work on it any more then.
   */
  settle(isDone: boolean): void;
}

/** The caches that jobs read and write, and the memory they are built in. */
export interface AssignmentMeans {
  readonly cache: BlockCache;
  readonly memory: JobMemory;
}

/** Locates and reads what is needed to decode a window of a tile; must be settled. */
export function* assign(
  index: TileIndex,
  window: WindowWanted,
  { cache, memory }: AssignmentMeans,
  workBudget: WorkBudget,
): Steps<Assignment> {
  const all = componentWindows(index, window.components);
  const { layers } = window;
  // Only blocks with all layers are cached.
  const isWhole = layers >= index.layers;
  const keeping = isWhole ? cache.begin(index.kept, index.key) : undefined;
  const place = memory.take();
  const gathered = new JobBlocks(place?.blocks);
  const settle = (isDone: boolean): void => {
    keeping?.settle(isDone);
    if (place !== undefined) memory.give(place);
  };
  let isAssigned = false;
  try {
    const precincts = yield* unknownOf(all, index, keeping, workBudget);
    const slices =
      precincts.length > 0
        ? yield* work({ away: (_, reader) => index.know(precincts, layers, reader, workBudget) })
        : undefined;
    const known = index.facts === undefined ? (slices ?? new KnownSlices()) : undefined;
    const from = { index, known, layers, keeping };
    const components = yield* componentJobs(all, from, gathered, workBudget);
    const bytes = yield* gathered.read(place?.bytes);
    isAssigned = true;
    return {
      job: jobOf(window, cache, { components, bytes, place, gathered }),
      settle,
    };
  } finally {
    if (!isAssigned) settle(false);
  }
}

const jobOf = (
  { transformed, wanted, interleaved, jpeg, left }: WindowWanted,
  { memory, workspace }: BlockCache,
  parts: Pick<WindowJob, "components" | "bytes" | "place"> & { readonly gathered: JobBlocks },
): WindowJob => {
  const { components, bytes, place } = parts;
  const { blocks, segments } = parts.gathered.said;
  // Without spreading, which goes through the engine's runtime.
  return {
    components,
    transformed,
    wanted,
    interleaved,
    jpeg,
    bytes,
    blocks,
    segments,
    place,
    cache: memory,
    workspace,
    left,
  };
};

/** Gathers the blocks of all components. One generator: each costs more than a row of blocks. */
function* componentJobs(
  all: readonly ComponentWindows[],
  sources: Omit<BlockSources, "style">,
  gathered: JobBlocks,
  workBudget: WorkBudget,
): Steps<ComponentJob[]> {
  const components: ComponentJob[] = [];
  for (const windows of all) {
    const from = blockSourcesOf(windows, sources);
    const levels: LevelJob[] = [];
    for (const level of windows.levels) {
      const bands: BandJob[] = [];
      for (const part of partsOf(windows, level, from)) {
        const { cells } = part.window;
        const first = gathered.count;
        for (let row = cells.y; row < cells.y + cells.rows; row++) {
          gathered.addRow(part, row, from);
          if (workBudget.isDue(cells.columns)) yield* workBudget.pause();
        }
        bands.push(bandJob(part, [first, gathered.count]));
      }
      levels.push(levelJob(level, bands));
    }
    components.push(componentJob(windows, levels));
  }
  return components;
}

const blockSourcesOf = (
  { own }: ComponentWindows,
  { index, known, layers, keeping }: Omit<BlockSources, "style">,
): BlockSources => ({ index, known, layers, keeping, style: own.parameters.coding.style });

const partsOf = (
  windows: ComponentWindows,
  level: LevelWindow,
  { index, known }: BlockSources,
): BandPart[] => {
  const resolution = resolutionOf(windows, level);
  const facts = known === undefined ? index.facts?.of(resolution) : undefined;
  return level.bands.map((window) => {
    const band = resolution.bands[window.order] ?? damaged("a band");
    return { window, resolution, band, facts };
  });
};

const bandJob = ({ window, band }: BandPart, blocks: BandJob["blocks"]): BandJob => {
  const { kind, magnitudeBits, step } = band;
  const { x0, y0, x1, y1 } = window.box;
  return { kind, magnitudeBits, step, width: x1 - x0, height: y1 - y0, blocks };
};

const levelJob = ({ box, wanted }: LevelWindow, bands: readonly BandJob[]): LevelJob => ({
  width: box.x1 - box.x0,
  height: box.y1 - box.y0,
  oddX: oddness(box.x0),
  oddY: oddness(box.y0),
  bands,
  x: wanted.x0 - box.x0,
  y: wanted.y0 - box.y0,
});

const oddness = (value: number): 0 | 1 => (value % 2 === 0 ? 0 : 1);

const componentJob = (
  { wanted, own }: ComponentWindows,
  levels: readonly LevelJob[],
): ComponentJob => {
  const { coding, shift } = own.parameters;
  const { style, reversible } = coding;
  const { box, precision, signed } = wanted;
  const [width, height] = [box.x1 - box.x0, box.y1 - box.y0];
  return { reversible, style, shift, levels, width, height, precision, signed };
};
