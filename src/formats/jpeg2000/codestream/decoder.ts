import { damaged } from "../../containers/index.ts";
import { BlockCache } from "./block-cache.ts";
import type { BlockSamples, CodestreamDecoder, RegionWanted } from "./contract.ts";
import { Decoding, type WindowRunner } from "./decoding.ts";
import { usualNumbers } from "./gathered.ts";
import type { GridBox } from "./grid.ts";
import { Indexes } from "./indexes.ts";
import { JobMemory } from "./job-memory.ts";
import { type PlaneWanted, planesWanted, sampleBytes } from "./region.ts";
import { SharedBlocks } from "./shared-blocks.ts";
import { unstoppable } from "./stopping.ts";
import { survey } from "./survey.ts";

/** Limits of a decoder; read at each use, except `blockBytes`. */
export interface DecoderLimits {
  /** Maximum bytes of cached facts about codestreams. */
  readonly indexBytes: number;
  /** Maximum bytes of cached decoded blocks; read once. */
  readonly blockBytes: number;
  /** Maximum bytes of the samples of one result. */
  readonly answerBytes: number;
}

/**
 * Decodes regions of codestreams that `openCodestream` opened; shares decoded blocks with other
 * processes through `sharedMemory`.
 */
export const createCodestreamDecoder = (
  limits: () => DecoderLimits,
  runner: WindowRunner,
  sharedMemory?: ArrayBuffer,
): CodestreamDecoder => {
  const indexes = new Indexes(() => limits().indexBytes);
  const cache = new BlockCache(limits().blockBytes, {
    shared: sharedMemory && new SharedBlocks(sharedMemory),
    workspace: runner.workspaceBytes,
  });
  const memory = new JobMemory(usualNumbers);
  const means = { indexes, cache, memory, runner, unstoppable: unstoppable() };
  const pixelMeans = { ...means, interleaved: true };
  const planeMeans = { ...means, interleaved: false };
  const decode = (wanted: RegionWanted, interleaved: boolean): Promise<BlockSamples[]> =>
    new Decoding(wanted, interleaved ? pixelMeans : planeMeans).run(limits().answerBytes, wanted);
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
    *encode(wanted, form) {
      const planes = planesWanted(wanted);
      checkAlike(planes);
      if (!runner.encodes || (planes.length !== 1 && planes.length !== 3)) return undefined;
      return yield* new Decoding(wanted, pixelMeans).encode(form);
    },
    survey: (wanted) => survey(wanted, indexes),
    close: () => runner.close(),
  };
};

const placeOf = ({ x0, y0, x1, y1 }: GridBox) => ({
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
  if (!areAlike || planes.length > maxInterleaved)
    damaged(`at most ${maxInterleaved} components of up to 8 bits, all alike,`);
  return first;
};

const maxInterleaved = 8;
