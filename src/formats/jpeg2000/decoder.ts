import { setMaxListeners } from "node:events";
import { ServerError } from "../../core/errors.ts";
import { Answer, thinned } from "./answer.ts";
import { assign } from "./assignment.ts";
import { BlockCache } from "./block-cache.ts";
import type { CodestreamDecoder, RegionWanted, Samples } from "./contract.ts";
import { damaged } from "./fields.ts";
import { type Box, isEmpty, shared, tileBox } from "./grid.ts";
import { Indexes } from "./indexes.ts";
import type { WindowJob, WindowSamples } from "./job.ts";
import { componentsFor, need } from "./needs.ts";
import {
  checkWindow,
  countOf,
  ofComponent,
  type PlaneWanted,
  pieces,
  planesWanted,
  regionBox,
  sampleBytes,
  tilesIn,
} from "./region.ts";
import { survey } from "./survey.ts";
import type { TileIndex } from "./tile-index.ts";

/** What bounds a decoder; read at each use, but for `blockBytes`. */
export interface DecoderLimits {
  /** Of what is remembered of codestreams, in bytes. */
  readonly indexBytes: number;
  /** Of decoded blocks that are kept, in bytes; read once. */
  readonly blockBytes: number;
  /** Of the samples of one answer, in bytes. */
  readonly answerBytes: number;
}

/**
 * Carries out jobs, here or elsewhere. Where the signal aborts, it fails as soon as nothing works on
 * the job any more.
 */
export interface WindowRunner {
  run(job: WindowJob, signal: AbortSignal): Promise<WindowSamples>;
  close(): Promise<void>;
}

/** Decodes regions of codestreams that `openCodestream` opened. */
export const createCodestreamDecoder = (
  limits: () => DecoderLimits,
  runner: WindowRunner,
): CodestreamDecoder => {
  const indexes = new Indexes(() => limits().indexBytes);
  const cache = new BlockCache(limits().blockBytes);
  const decode = (wanted: RegionWanted, interleaved: boolean): Promise<Samples[]> =>
    new Decoding(wanted, { interleaved, indexes, cache, runner }).run(limits().answerBytes);
  return {
    get indexBytes() {
      return indexes.bytes;
    },
    async decodeRegion(wanted) {
      const samples = await decode(wanted, false);
      return {
        planes: planesWanted(wanted).map(({ box, header }, index) => ({
          ...header,
          ...placeOf(box),
          samples: samples[index] ?? damaged("samples"),
        })),
      };
    },
    async decodeInterleaved(wanted) {
      const { box } = checkAlike(planesWanted(wanted));
      const [samples] = await decode(wanted, true);
      return samples instanceof Uint8Array
        ? { ...placeOf(box), samples }
        : damaged("samples of 8 bits");
    },
    survey: (wanted) => survey(wanted, indexes),
    close: () => runner.close(),
  };
};

const placeOf = ({ x0, y0, x1, y1 }: Box) => ({
  x: x0,
  y: y0,
  width: Math.max(0, x1 - x0),
  height: Math.max(0, y1 - y0),
});

const checkAlike = (planes: readonly PlaneWanted[]): PlaneWanted => {
  const [first = damaged("a component")] = planes;
  const areAlike = planes.every(
    ({ header }) =>
      header.dx === first.header.dx && header.dy === first.header.dy && sampleBytes(header) === 1,
  );
  if (!areAlike || planes.length > mostInterleaved)
    damaged(`at most ${mostInterleaved} components of up to 8 bits, all alike,`);
  return first;
};

const mostInterleaved = 8;
/** Components that are decoded together; more are decoded in groups. */
const mostTogether = 4;
/** How many tiles are read and decoded at once. */
const tilesAtOnce = 4;

interface Means {
  readonly interleaved: boolean;
  readonly indexes: Indexes;
  readonly cache: BlockCache;
  readonly runner: WindowRunner;
}

/** One region on its way. */
class Decoding {
  readonly #wanted: RegionWanted;
  readonly #means: Means;
  readonly #planes: readonly PlaneWanted[];
  readonly #answer: Answer;
  readonly #left = new Int32Array(new SharedArrayBuffer(4));
  readonly #leaving = new AbortController();

  constructor(wanted: RegionWanted, means: Means) {
    this.#wanted = wanted;
    this.#means = means;
    this.#planes = planesWanted(wanted);
    this.#answer = new Answer(this.#planes, means.interleaved);
    // Several tiles are read at once, each by several readings.
    setMaxListeners(0, this.#leaving.signal);
  }

  async run(mostBytes: number): Promise<Samples[]> {
    const { signal } = this.#wanted;
    signal.throwIfAborted();
    const bytes = this.#planes.reduce(
      (sum, { box, header }) => sum + countOf(box) * sampleBytes(header),
      0,
    );
    if (bytes > mostBytes) damaged(`a region of at most ${mostBytes} bytes and not ${bytes}`);
    const leave = (): void => this.#leave(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    try {
      await this.#tiles();
      return this.#answer.all();
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  /** Stops all that is under way. */
  #leave(reason: unknown): void {
    Atomics.store(this.#left, 0, 1);
    this.#leaving.abort(reason);
  }

  async #tiles(): Promise<void> {
    const region = regionBox(this.#wanted);
    const tiles = tilesIn(this.#wanted.codestream.header, region);
    const failures: unknown[] = [];
    const work = async (): Promise<void> => {
      for (const tile of tiles) {
        if (failures.length > 0) return;
        await this.#tile(tile, region).catch((error: unknown) => {
          failures.push(error);
          this.#leave(error);
        });
      }
    };
    await Promise.all(Array.from({ length: tilesAtOnce }, work));
    if (failures.length > 0) throw failures[0];
  }

  async #tile(tile: number, region: Box): Promise<void> {
    const { codestream, reader, reduce } = this.#wanted;
    const { signal } = this.#leaving;
    const index = await this.#means.indexes.tile(codestream, tile, reader, signal);
    const box = shared(region, tileBox(codestream.header, tile));
    for (const group of this.#groups(index)) {
      const [first] = group;
      const together =
        index.transformed && (this.#planes[first ?? 0]?.component ?? 3) < 3 ? 3 : group.length;
      for (const piece of pieces(box, reduce, together)) await this.#piece(index, group, piece);
    }
    this.#means.indexes.weigh(codestream, tile);
  }

  /** The planes that are decoded together, by their numbers. */
  #groups(index: TileIndex): number[][] {
    const all = this.#planes.map((_, plane) => plane);
    if (this.#means.interleaved) return [all];
    const isTransformed = (plane: number): boolean =>
      index.transformed && (this.#planes[plane]?.component ?? 3) < 3;
    const groups = [all.filter(isTransformed)].filter(({ length }) => length > 0);
    const others = all.filter((plane) => !isTransformed(plane));
    for (let from = 0; from < others.length; from += mostTogether)
      groups.push(others.slice(from, from + mostTogether));
    return groups;
  }

  async #piece(index: TileIndex, group: readonly number[], piece: Box): Promise<void> {
    const { codestream, reader, reduce, maxLayers } = this.#wanted;
    const { signal } = this.#leaving;
    const { interleaved, cache } = this.#means;
    const planes = group.map((plane) => this.#planes[plane] ?? damaged("a component"));
    const numbers = componentsFor(index, planes);
    const needed = numbers.map((component) => {
      const header = codestream.header.components[component] ?? damaged("a component");
      return need(index, { component, header, box: ofComponent(piece, header, reduce) }, reduce);
    });
    checkWindow(needed.map(({ box }) => box));
    const wanted = planes.map(({ component }) => numbers.indexOf(component));
    if (wanted.every((number) => isEmpty(needed[number]?.box ?? empty))) return;
    const { job, settle } = await assign(
      index,
      {
        components: needed,
        transformed: index.transformed && numbers[2] === 2,
        wanted,
        interleaved,
        left: this.#left,
        layers: maxLayers ?? index.layers,
      },
      cache,
      reader,
      signal,
    );
    const samples = await this.#carryOut(job, settle);
    for (const [number, decoded] of samples.entries()) {
      const plane = planes[number] ?? damaged("a component");
      const { box, step } = needed[wanted[number] ?? 0] ?? damaged("a component");
      const pixel = interleaved ? planes.length : 1;
      const width = box.x1 - box.x0;
      this.#answer.take(interleaved ? 0 : (group[number] ?? 0), {
        box: ofComponent(piece, plane.header, reduce),
        samples: step === 1 ? decoded : thinned(decoded, { width, pixel, step }),
      });
    }
  }

  async #carryOut(job: WindowJob, settle: (isDone: boolean) => void): Promise<WindowSamples> {
    const { signal } = this.#leaving;
    let isDone = false;
    try {
      const samples = await this.#means.runner.run(job, signal);
      isDone = true;
      return samples;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ServerError) throw error;
      return damaged("blocks that are whole", error);
    } finally {
      settle(isDone);
    }
  }
}

const empty: Box = { x0: 0, y0: 0, x1: 0, y1: 0 };
