import { type Steps, work } from "../../../core/steps.ts";
import { damaged } from "../../containers/index.ts";
import type { BlockCache, BlockKeeping } from "./block-cache.ts";
import { factsOf, type ResolutionFacts } from "./block-facts.ts";
import { unknown } from "./cached-blocks.ts";
import { type BlockSources, JobBlocks } from "./gathered.ts";
import type { Cells, GridBox, TileComponent } from "./grid.ts";
import type { BandJob, ComponentJob, LevelJob, WindowJob } from "./job.ts";
import { type JobMemory, jobPlace } from "./job-memory.ts";
import { KnownSlices } from "./known-blocks.ts";
import type { PrecinctsWanted } from "./precincts.ts";
import type { TileIndex } from "./tile-index.ts";
import {
  type BandWindow,
  blocksOf,
  firstOf,
  type LevelWindow,
  levelWindows,
  precinctsOf,
} from "./windows.ts";
import type { WorkBudget } from "./work-budget.ts";

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
  const all = componentWindows(index, window);
  const { layers } = window;
  // Only blocks with all layers are cached.
  const isWhole = layers >= index.layers;
  const keeping = isWhole ? cache.begin(index.kept, index.key) : undefined;
  const gathered = new JobBlocks();
  const place = memory.take();
  const settle = (isDone: boolean): void => {
    keeping?.settle(isDone);
    if (place !== undefined) memory.give(place);
  };
  let isAssigned = false;
  try {
    const precincts: PrecinctsWanted[] = [];
    for (const { levels } of all)
      for (const level of levels)
        precincts.push(...(yield* unknownOf(level, index, keeping, workBudget)));
    const slices =
      precincts.length > 0
        ? yield* work({ away: (_, reader) => index.know(precincts, layers, reader, workBudget) })
        : undefined;
    const known = index.facts === undefined ? (slices ?? new KnownSlices()) : undefined;
    const from = { index, known, layers, keeping };
    const components = yield* componentJobs(all, from, gathered, workBudget);
    const room = place && new Uint8Array(place.memory, place.at + jobPlace.bytes, jobRoom);
    const bytes = yield* gathered.read(room);
    const job = { ...formOf(window), components, cache: cache.memory, bytes, ...gathered.said };
    isAssigned = true;
    return { job: { ...job, place }, settle };
  } finally {
    if (!isAssigned) settle(false);
  }
}

const jobRoom = jobPlace.end - jobPlace.bytes;

/** The windows of a requested component. */
interface ComponentWindows {
  readonly wanted: ComponentWanted;
  readonly own: TileComponent;
  readonly levels: readonly LevelWindow[];
}

const componentWindows = (index: TileIndex, window: WindowWanted): readonly ComponentWindows[] =>
  window.components.map((wanted) => {
    const own = index.grid.components[wanted.component] ?? damaged("a component");
    return { wanted, own, levels: levelWindows(own, wanted.box, wanted.level) };
  });

/** The fields of a window that the job contains. */
const formOf = ({ transformed, wanted, interleaved, jpeg, left }: WindowWanted) => ({
  transformed,
  wanted,
  interleaved,
  jpeg,
  left,
});

/** Gathers the blocks of all components. */
function* componentJobs(
  all: readonly ComponentWindows[],
  sources: Omit<BlockSources, "style">,
  gathered: JobBlocks,
  workBudget: WorkBudget,
): Steps<ComponentJob[]> {
  const components: ComponentJob[] = [];
  for (const { wanted, own, levels } of all) {
    const { coding, shift } = own.parameters;
    const { style, reversible } = coding;
    const from: BlockSources = { ...sources, style };
    const jobs: LevelJob[] = [];
    for (const level of levels) jobs.push(yield* levelJob(level, from, gathered, workBudget));
    const [width, height] = [wanted.box.x1 - wanted.box.x0, wanted.box.y1 - wanted.box.y0];
    const { precision, signed } = wanted;
    const form = { width, height, precision, signed };
    components.push({ reversible, style, shift, levels: jobs, ...form });
  }
  return components;
}

/**
 * The precincts of a level that have to be examined, since their blocks are neither cached nor
 * known to be empty.
 */
function* unknownOf(
  level: LevelWindow,
  { facts }: TileIndex,
  keeping: BlockKeeping | undefined,
  workBudget: WorkBudget,
): Steps<readonly PrecinctsWanted[]> {
  if (facts !== undefined) {
    const { resolution, bands } = level;
    const own = facts.of(resolution);
    return bands.every((band) => areKnown(band, own))
      ? []
      : [precinctsOf(resolution, blocksOf(level))];
  }
  if (keeping === undefined) return [precinctsOf(level.resolution, blocksOf(level))];
  const blocks: (Cells | undefined)[] = [];
  for (const window of level.bands) {
    const { y, rows, columns } = window.cells;
    let all: Cells | undefined;
    for (let row = y; row < y + rows; row++) {
      all = grownBy(all, unknownIn(window, row, keeping), row);
      if (workBudget.isDue(columns)) yield* workBudget.pause();
    }
    blocks.push(all);
  }
  return blocks.every((cells) => cells === undefined)
    ? []
    : [precinctsOf(level.resolution, blocks)];
}

/** Whether the stored data of all blocks that a window touches is known. */
const areKnown = (window: BandWindow, { states }: ResolutionFacts): boolean => {
  const { x, y, columns, rows } = window.cells;
  for (let row = y; row < y + rows; row++) {
    const first = firstOf(window, row) - window.resolution.first;
    for (let column = x; column < x + columns; column++)
      if (states[first + column] === factsOf.unknown) return false;
  }
  return true;
};

/**
 * The half-open range of blocks in a row that a window touches and that are unknown. Cached ones
 * are held from now on.
 */
const unknownIn = (
  window: BandWindow,
  row: number,
  keeping: BlockKeeping,
): readonly [number, number] => {
  const { x, columns } = window.cells;
  const first = firstOf(window, row);
  let [from, to] = [x + columns, x];
  for (let column = x; column < x + columns; column++)
    if (keeping.find(first + column) === unknown) {
      from = Math.min(from, column);
      to = column + 1;
    }
  return [from, to];
};

/** Cells extended by some of the following row or a later one. */
const grownBy = (
  cells: Cells | undefined,
  [from, to]: readonly [number, number],
  row: number,
): Cells | undefined => {
  if (to <= from) return cells;
  if (cells === undefined) return { x: from, y: row, columns: to - from, rows: 1 };
  const x = Math.min(cells.x, from);
  const columns = Math.max(cells.x + cells.columns, to) - x;
  return { x, y: cells.y, columns, rows: row + 1 - cells.y };
};

function* levelJob(
  { resolution, box, wanted, bands }: LevelWindow,
  from: BlockSources,
  gathered: JobBlocks,
  workBudget: WorkBudget,
): Steps<LevelJob> {
  const jobs: BandJob[] = [];
  const facts = from.known === undefined ? from.index.facts?.of(resolution) : undefined;
  for (const window of bands) {
    const { kind, magnitudeBits, step } = window.band;
    const before = gathered.count;
    const { y, rows, columns } = window.cells;
    for (let row = y; row < y + rows; row++) {
      gathered.addRow({ window, row, facts }, from);
      if (workBudget.isDue(columns)) yield* workBudget.pause();
    }
    const [width, height] = [window.box.x1 - window.box.x0, window.box.y1 - window.box.y0];
    const blocks = [before, gathered.count] as const;
    jobs.push({ kind, magnitudeBits, step, width, height, blocks });
  }
  return {
    width: box.x1 - box.x0,
    height: box.y1 - box.y0,
    oddX: oddness(box.x0),
    oddY: oddness(box.y0),
    bands: jobs,
    x: wanted.x0 - box.x0,
    y: wanted.y0 - box.y0,
  };
}

const oddness = (value: number): 0 | 1 => (value % 2 === 0 ? 0 : 1);
