import { machine } from "./config/machine.ts";
import type { Config } from "./config/store.ts";
import {
  createFrameThreads,
  type FrameThreads,
  frameThreadLimits,
} from "./formats/dicom/threads.ts";
import { tileKeys, tileThreadLimits } from "./formats/fast-jpeg/tile-keys.ts";
import {
  createTileThreads,
  mostOfTurn,
  type TileThreadLimits,
  type TileThreads,
} from "./formats/fast-jpeg/tile-threads.ts";
import {
  createForeignThreads,
  type ForeignThreads,
  foreignThreadLimits,
} from "./formats/heif-jxl/threads.ts";
import { type Codestreams, codestreamsInThreads } from "./formats/jpeg2000/file/codestreams.ts";
import { jpeg2000Keys } from "./formats/jpeg2000/file/keys.ts";
import { createPdfThreads, type PdfThreads, pdfThreadLimits } from "./formats/pdf/threads.ts";
import { MemoryReservations } from "./formats/pool/memory-reservations.ts";
import { readingKeys } from "./formats/shared/decoding-keys.ts";
import { Turn } from "./formats/shared/turn.ts";
import {
  createSvgProcesses,
  type SvgProcesses,
  svgProcessLimits,
} from "./formats/svg/processes.ts";
import { createSampleEncoders, type SampleEncoders } from "./formats/write/samples/threads.ts";

/** The threads and processes that read and write pictures. */
export interface Threads {
  readonly threads: TileThreads;
  readonly codestreams: Codestreams;
  readonly pdf: PdfThreads;
  readonly samples: SampleEncoders;
  readonly foreign: ForeignThreads;
  readonly svg: SvgProcesses;
  readonly frames: FrameThreads;
  /** The memory that they share. */
  readonly reservations: MemoryReservations;
}

/** Those of one of so many workers, which share the processors and the memory; they start as they are needed. */
export const createAllThreads = (
  config: Config,
  { workers }: { readonly workers: number },
): Threads => {
  const { shares } = config;
  const settings = config.view({ ...tileKeys, ...readingKeys, ...jpeg2000Keys });
  const processors = machine().processors / workers;
  const turn = new Turn(mostOfTurn);
  const reservations = new MemoryReservations(shares.threads);
  const drawing = (): TileThreadLimits => tileThreadLimits(settings(), processors);
  const tiles = (): TileThreadLimits => ({ ...drawing(), reservedBytes: shares.thread });
  // Threads on processors of their own decode beside the event loop; on the same one they only take its time.
  const own = processors < 2 ? turn : undefined;
  return {
    threads: createTileThreads(tiles, turn, reservations),
    codestreams: codestreamsInThreads(settings, tiles, own, reservations),
    pdf: createPdfThreads(() => pdfThreadLimits(settings(), drawing()), reservations),
    samples: createSampleEncoders(() => ({ ...drawing(), memory: shares.decoder }), reservations),
    foreign: createForeignThreads(
      () => foreignThreadLimits(settings(), drawing(), shares.decoder),
      reservations,
    ),
    svg: createSvgProcesses(() => svgProcessLimits(settings(), drawing()), reservations),
    frames: createFrameThreads(
      () => frameThreadLimits(settings(), drawing(), shares.decoder),
      reservations,
    ),
    reservations,
  };
};

/** Ends them all. */
export const closeThreads = async (all: Threads): Promise<void> => {
  await all.threads.close();
  await all.codestreams.decoder.close();
  await all.pdf.close();
  await all.samples.close();
  await all.foreign.close();
  await all.svg.close();
  await all.frames.close();
};
