import { ServerError } from "../../../core/errors.ts";
import type { RangeReader } from "../../../core/range-reader.ts";
import { advance, complete, drop, type Steps, work } from "../../../core/steps.ts";
import { damaged } from "../../containers/index.ts";
import { type Assignment, type AssignmentMeans, assign } from "./assignment.ts";
import type { BlockSamples, RegionOf, RegionWanted } from "./contract.ts";
import { DecodedWindow, subsampled } from "./decoded-window.ts";
import { type GridBox, isEmpty, shared, tileBox } from "./grid.ts";
import type { Indexes } from "./indexes.ts";
import type { JpegForm, WindowJob, WindowSamples } from "./job.ts";
import { decodingNeedsOf, type Needs } from "./needs.ts";
import {
  countOf,
  ofComponent,
  type PlaneWanted,
  pieces,
  planesWanted,
  regionBox,
  sampleBytes,
  tilesIn,
} from "./region.ts";
import { type Stop, Stopping, type WorkLimits } from "./stopping.ts";
import type { TileIndex } from "./tile-index.ts";
import { WorkBudget } from "./work-budget.ts";

/**
 * Runs jobs, here or elsewhere. Once the signal aborts, it rejects as soon as nothing works on the
 * job any more.
 */
export interface WindowRunner {
  /** Whether it makes JPEGs for jobs that request them. */
  readonly encodes: boolean;
  run(job: WindowJob, signal: AbortSignal): Promise<WindowSamples>;
  /**
   * Bytes of memory beside the cached blocks that running jobs on the calling thread needs; absent:
   * it does not work in that memory.
   */
  readonly workspaceBytes?: number | undefined;
  /** Whether `here` may run now. */
  hasTime?(): boolean;
  /**
   * Runs a job on the calling thread where that is quick; undefined otherwise. Absent: it cannot.
   */
  here?(job: WindowJob): WindowSamples | undefined;
  close(): Promise<void>;
}

/** Number of components decoded together; more are decoded in groups. */
const maxTogether = 4;
/** Maximum number of tiles read and decoded concurrently. */
const concurrentTiles = 4;

/** The dependencies of decoding. */
export interface DecodingTools extends AssignmentMeans {
  readonly interleaved: boolean;
  readonly indexes: Indexes;
  readonly runner: WindowRunner;
  /** For work that ends before anything can stop it. */
  readonly unstoppable: Stop;
}

/** One region being decoded. */
export class Decoding {
  readonly #wanted: RegionOf;
  readonly #means: DecodingTools;
  readonly #planes: readonly PlaneWanted[];
  readonly #answer: DecodedWindow;
  #ownStopping: Stopping | undefined;

  constructor(wanted: RegionOf, means: DecodingTools) {
    this.#wanted = wanted;
    this.#means = means;
    this.#planes = planesWanted(wanted);
    this.#answer = new DecodedWindow(this.#planes, means.interleaved);
  }

  /** Created where work may wait, which most does not. */
  get #stopping(): Stopping {
    this.#ownStopping ??= new Stopping();
    return this.#ownStopping;
  }

  async run(
    maxBytes: number,
    { reader, signal }: Pick<RegionWanted, "reader" | "signal">,
  ): Promise<BlockSamples[]> {
    signal.throwIfAborted();
    const bytes = this.#planes.reduce(
      (sum, { box, header }) => sum + countOf(box) * sampleBytes(header),
      0,
    );
    if (bytes > maxBytes) damaged(`a region of at most ${maxBytes} bytes and not ${bytes}`);
    await this.#withAbortFlag(signal, () => this.#tiles(reader));
    return this.#answer.all();
  }

  /** A JPEG of the region; undefined where it is not decoded in one piece. */
  *encode(jpeg: JpegForm): Steps<Uint8Array | undefined> {
    const { codestream, reduce } = this.#wanted;
    const region = regionBox(this.#wanted);
    const [tile, another] = tilesIn(codestream.header, region);
    const [piece, further] = pieces(region, reduce, this.#planes.length);
    if (tile === undefined || another !== undefined || further !== undefined) return undefined;
    const encoded = (limits: WorkLimits): Steps<Uint8Array | undefined> =>
      this.#encoded(tile, piece ?? region, jpeg, limits);
    return yield* work({
      // Other jobs wait for the blocks that one has promised, and must not wait for its admission,
      // too. So this is one job: if it cannot run here at once, it withdraws them and is planned
      // again.
      here: (near) => {
        if (!codestream.header.ht || this.#means.runner.hasTime?.() !== true) return undefined;
        const { signal, left } = this.#means.unstoppable;
        const limits = { signal, left, workBudget: new WorkBudget(signal) };
        const state = advance(encoded(limits), near);
        if (state.isDone) return state.value;
        drop(state);
        return undefined;
      },
      away: (signal, reader) =>
        this.#withAbortFlag(signal, () =>
          complete(encoded(this.#stopping), reader, this.#stopping.signal),
        ),
    });
  }

  *#encoded(
    tile: number,
    piece: GridBox,
    jpeg: JpegForm,
    limits: WorkLimits,
  ): Steps<Uint8Array | undefined> {
    const { codestream } = this.#wanted;
    const { indexes } = this.#means;
    const index = yield* work({
      here: () => indexes.cached(codestream, tile),
      away: (_, reader) => indexes.tile(codestream, tile, reader, limits.workBudget),
    });
    const group = this.#planes.map((_, plane) => plane);
    const needs = this.#needs(index, group, piece);
    if (needs.needed.some(({ box, step }) => step !== 1 || isEmpty(box))) return undefined;
    const [jpegBytes] = yield* this.#decode(index, needs, limits, jpeg);
    indexes.weigh(codestream, tile);
    return jpegBytes instanceof Uint8Array ? jpegBytes : damaged("a JPEG");
  }

  /** Runs work until the signal aborts. */
  async #withAbortFlag<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const leave = (): void => this.#stopping.stop(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    try {
      return await work();
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  async #tiles(reader: RangeReader): Promise<void> {
    const region = regionBox(this.#wanted);
    const tiles = tilesIn(this.#wanted.codestream.header, region);
    const failures: unknown[] = [];
    const work = async (): Promise<void> => {
      for (const tile of tiles) {
        if (failures.length > 0) return;
        await this.#tile(tile, region, reader).catch((error: unknown) => {
          failures.push(error);
          this.#stopping.stop(error);
        });
      }
    };
    await Promise.all(Array.from({ length: concurrentTiles }, work));
    if (failures.length > 0) throw failures[0];
  }

  async #tile(tile: number, region: GridBox, reader: RangeReader): Promise<void> {
    const { codestream, reduce } = this.#wanted;
    const { signal, workBudget } = this.#stopping;
    const index = await this.#means.indexes.tile(codestream, tile, reader, workBudget);
    const box = shared(region, tileBox(codestream.header, tile));
    for (const group of this.#groups(index)) {
      const [first] = group;
      const together =
        index.transformed && (this.#planes[first ?? 0]?.component ?? 3) < 3 ? 3 : group.length;
      for (const piece of pieces(box, reduce, together))
        await complete(this.#piece(index, group, piece), reader, signal);
    }
    this.#means.indexes.weigh(codestream, tile);
  }

  /** The planes that are decoded together, by number. */
  #groups(index: TileIndex): number[][] {
    const all = this.#planes.map((_, plane) => plane);
    if (this.#means.interleaved) return [all];
    const isTransformed = (plane: number): boolean =>
      index.transformed && (this.#planes[plane]?.component ?? 3) < 3;
    const groups = [all.filter(isTransformed)].filter(({ length }) => length > 0);
    const others = all.filter((plane) => !isTransformed(plane));
    for (let from = 0; from < others.length; from += maxTogether)
      groups.push(others.slice(from, from + maxTogether));
    return groups;
  }

  *#piece(index: TileIndex, group: readonly number[], piece: GridBox): Steps<void> {
    const { reduce } = this.#wanted;
    const { interleaved } = this.#means;
    const needs = this.#needs(index, group, piece);
    const { needed, wanted, planes } = needs;
    if (wanted.every((number) => isEmpty(needed[number]?.box ?? empty))) return;
    const samples = yield* this.#decode(index, needs, this.#stopping);
    for (const [number, decoded] of samples.entries()) {
      const plane = planes[number] ?? damaged("a component");
      const { box, step } = needed[wanted[number] ?? 0] ?? damaged("a component");
      const pixel = interleaved ? planes.length : 1;
      const width = box.x1 - box.x0;
      this.#answer.take(interleaved ? 0 : (group[number] ?? 0), {
        box: ofComponent(piece, plane.header, reduce),
        samples: step === 1 ? decoded : subsampled(decoded, { width, pixel, step }),
      });
    }
  }

  /** What has to be decoded for a part of some planes. */
  #needs(index: TileIndex, group: readonly number[], piece: GridBox): Needs {
    const { codestream, reduce } = this.#wanted;
    const planes = group.map((plane) => this.#planes[plane] ?? damaged("a component"));
    return decodingNeedsOf(index, codestream, planes, piece, reduce);
  }

  *#decode(
    index: TileIndex,
    { needed, wanted }: Needs,
    { signal, left, workBudget }: WorkLimits,
    jpeg?: JpegForm,
  ): Steps<WindowSamples> {
    const window = {
      components: needed,
      transformed: index.transformed && needed[2]?.component === 2,
      wanted,
      interleaved: this.#means.interleaved,
      jpeg,
      left,
      layers: this.#wanted.maxLayers ?? index.layers,
    };
    const assignment = yield* assign(index, window, this.#means, workBudget);
    return yield* this.#carryOut(assignment, signal);
  }

  *#carryOut({ job, settle }: Assignment, stopped: AbortSignal): Steps<WindowSamples> {
    const { runner } = this.#means;
    let isDone = false;
    try {
      const samples = yield* work({
        here: () => runner.here?.(job),
        away: (signal) => runner.run(job, signal),
      });
      isDone = true;
      return samples;
    } catch (error) {
      stopped.throwIfAborted();
      if (error instanceof ServerError) throw error;
      return damaged("blocks that are whole", error);
    } finally {
      settle(isDone);
    }
  }
}

const empty: GridBox = { x0: 0, y0: 0, x1: 0, y1: 0 };
