import { machine } from "./config/machine.ts";
import type { Config } from "./config/store.ts";
import {
  createFrameThreads,
  type FrameThreads,
  frameThreadLimits,
} from "./formats/dicom/threads.ts";
import {
  createForeignThreads,
  type ForeignThreads,
  foreignThreadLimits,
} from "./formats/foreign/threads.ts";
import { type Codestreams, codestreamsInThreads } from "./formats/jpeg2000-file/codestreams.ts";
import { jpeg2000Keys } from "./formats/jpeg2000-file/keys.ts";
import { createPdfThreads, type PdfThreads, pdfThreadLimits } from "./formats/pdf/threads.ts";
import { readingKeys } from "./formats/reading.ts";
import { createSampleEncoders, type SampleEncoders } from "./formats/sample-encoders/threads.ts";
import {
  createSvgProcesses,
  type SvgProcesses,
  svgProcessLimits,
} from "./formats/svg/processes.ts";
import { tileKeys, tileThreadLimits } from "./formats/tile-keys.ts";
import { createTileThreads, mostOfTurn, type TileThreads } from "./formats/tile-threads.ts";
import { Turn } from "./formats/turn.ts";

/** The threads and processes that read and write pictures. */
export interface Threads {
  readonly threads: TileThreads;
  readonly codestreams: Codestreams;
  readonly pdf: PdfThreads;
  readonly samples: SampleEncoders;
  readonly foreign: ForeignThreads;
  readonly svg: SvgProcesses;
  readonly frames: FrameThreads;
}

/** Those of one of so many workers, which share the processors; they start as they are needed. */
export const createAllThreads = (config: Config, share: Share): Threads => {
  const turn = new Turn(mostOfTurn);
  return {
    threads: createThreads(config, share, turn),
    codestreams: createCodestreams(config, share, turn),
    pdf: createPdf(config, share),
    samples: createEncoders(config, share),
    foreign: createForeign(config, share),
    svg: createSvg(config, share),
    frames: createFrames(config, share),
  };
};

/** How many workers share the processors. */
interface Share {
  readonly workers: number;
}

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

const createThreads = (config: Config, { workers }: Share, turn: Turn): TileThreads => {
  const settings = config.view({ ...tileKeys, ...readingKeys });
  const share = machine().processors / workers;
  return createTileThreads(() => tileThreadLimits(settings(), share), turn);
};

const createCodestreams = (config: Config, { workers }: Share, turn: Turn): Codestreams => {
  const settings = config.view({ ...tileKeys, ...readingKeys, ...jpeg2000Keys });
  const share = machine().processors / workers;
  // Threads on processors of their own decode beside the event loop; on the same one they only take its time.
  const own = share < 2 ? turn : undefined;
  return codestreamsInThreads(settings, () => tileThreadLimits(settings(), share), own);
};

const createPdf = (config: Config, { workers }: Share): PdfThreads => {
  const settings = config.view({ ...tileKeys, ...readingKeys });
  const share = machine().processors / workers;
  return createPdfThreads(() => pdfThreadLimits(settings(), tileThreadLimits(settings(), share)));
};

const createForeign = (config: Config, { workers }: Share): ForeignThreads => {
  const settings = config.view({ ...tileKeys, ...readingKeys });
  const share = machine().processors / workers;
  return createForeignThreads(() =>
    foreignThreadLimits(settings(), tileThreadLimits(settings(), share)),
  );
};

const createSvg = (config: Config, { workers }: Share): SvgProcesses => {
  const settings = config.view({ ...tileKeys, ...readingKeys });
  const share = machine().processors / workers;
  return createSvgProcesses(() =>
    svgProcessLimits(settings(), tileThreadLimits(settings(), share)),
  );
};

const createFrames = (config: Config, { workers }: Share): FrameThreads => {
  const settings = config.view({ ...tileKeys, ...readingKeys });
  const share = machine().processors / workers;
  return createFrameThreads(() =>
    frameThreadLimits(settings(), tileThreadLimits(settings(), share)),
  );
};

const createEncoders = (config: Config, { workers }: Share): SampleEncoders => {
  const settings = config.view({ ...tileKeys, ...readingKeys });
  const share = machine().processors / workers;
  return createSampleEncoders(() => tileThreadLimits(settings(), share));
};
