import { type Claim, divide } from "./division.ts";
import type { Shares } from "./shares.ts";

/** What a budget is made of. */
export interface BudgetNeeds {
  /** Bytes that the whole server may take. */
  readonly total: number;
  /** How many processes serve, and how many processors they share. */
  readonly workers: number;
  readonly processors: number;
  /** Shares that are set, in bytes; they are taken off first. */
  readonly set: Partial<Shares>;
  /**
   * Whether finished images are kept in memory, and whether that is in front of a cache outside
   * the process.
   */
  readonly derivatives: "none" | "memory" | "front";
  /** What part of the share of finished images is taken where it is a front. */
  readonly frontShare: number;
  /** Whether images may come from elsewhere than this machine's files. */
  readonly remote: boolean;
  /** Bytes that the Ruby of a delegate takes in each worker; absent: there is none. */
  readonly ruby?: number;
}

/** One line of the budget. */
export interface BudgetPart {
  readonly name: string;
  /** Whether each worker has it, or the server once. */
  readonly of: "server" | "worker";
  /** Bytes of each. */
  readonly bytes: number;
  /** Whether a key says so. */
  readonly isSet: boolean;
}

/** How the memory of a server is divided. */
export interface Budget {
  readonly total: number;
  readonly workers: number;
  readonly parts: readonly BudgetPart[];
  readonly shares: Shares;
  /**
   * What values of JavaScript may take in a worker's main thread: in the long run, and just after
   * they are made.
   */
  readonly heap: { readonly old: number; readonly young: number };
  /** What all parts come to, in bytes; more than `total` where what is set does not fit. */
  readonly taken: number;
}

const mega = 2 ** 20;
const giga = 2 ** 30;

/**
 * What the system needs for the server: sockets, page tables, and programs that have to be in
 * memory in memory.
 */
const systemOf = (total: number): number => Math.floor(20 * mega + Math.min(giga, total * 0.04));

/**
 * What the supervisor takes, and a worker that has drawn images of all kinds, beside what is
 * listed for it.
 */
const supervisor = 64 * mega;
const worker = 64 * mega;

/**
 * A thread that has nothing to do takes less, one that decodes some more beside the decoder's own
 * memory.
 */
export const threadBase = 24 * mega;

/** Of a worker, in the order of the table. What is set or not there has no claim. */
const claims = {
  heap: { floor: 74 * mega, weight: 1, ceiling: giga },
  drawing: { floor: 72 * mega, weight: 5, ceiling: 4 * giga },
  thread: { floor: 36 * mega, weight: 0.4, ceiling: 160 * mega },
  threads: { floor: 96 * mega, weight: 2.2, ceiling: 3 * giga },
  answers: { floor: 12 * mega, weight: 0.5, ceiling: 256 * mega },
  infos: { floor: 2 * mega, weight: 0.25, ceiling: 256 * mega },
  structure: { floor: 4 * mega, weight: 0.4, ceiling: 512 * mega },
  index: { floor: 4 * mega, weight: 0.4, ceiling: 512 * mega },
  tiles: { floor: 2 * mega, weight: 0.25, ceiling: 256 * mega },
  blocks: { floor: 4 * mega, weight: 0.8, ceiling: giga },
  pixels: { floor: 2 * mega, weight: 0.25, ceiling: 256 * mega },
  pages: { floor: 2 * mega, weight: 0.4, ceiling: 512 * mega },
  frames: { floor: 2 * mega, weight: 0.6, ceiling: 512 * mega },
  remote: { floor: 4 * mega, weight: 0.8, ceiling: giga },
  derivatives: { floor: 4 * mega, weight: 1.5, ceiling: 4 * giga },
  writing: { floor: 4 * mega, weight: 0.3, ceiling: 64 * mega },
} as const satisfies Readonly<Record<string, Claim>>;

type Name = keyof typeof claims;

const names: Readonly<Record<Name, string>> = {
  heap: "values of JavaScript",
  drawing: "drawing",
  thread: "first threads for tiles and JPEG 2000",
  threads: "threads and programs that decode and encode",
  answers: "answers on their way to clients",
  infos: "what is known of images",
  structure: "structure of TIFFs",
  index: "index of JPEG 2000 files",
  tiles: "decoded tiles of TIFFs",
  blocks: "decoded blocks of JPEG 2000",
  pixels: "decoded pixels of JPEG 2000",
  pages: "drawn pages of PDF documents",
  frames: "decoded frames of videos",
  remote: "parts of remote files",
  derivatives: "finished pictures",
  writing: "finished pictures on their way to the cache",
};

/** Divides the memory of a server. */
export const budgetOf = (needs: BudgetNeeds): Budget => {
  const { total, workers, ruby = 0 } = needs;
  const set = setOf(needs);
  const system = systemOf(total);
  const wholeOfWorker =
    (total - system - supervisor) / workers - worker - ruby - sumOf(Object.values(set));
  const open = Object.fromEntries(
    Object.entries<Claim>(claims).filter(([name]) => !(name in set) && isThere(name, needs)),
  );
  const each = { ...divide(Math.max(0, Math.floor(wholeOfWorker)), open), ...set };
  const listed = Object.entries(names).flatMap(([name, text]): readonly BudgetPart[] => {
    const bytes = each[name];
    return bytes === undefined ? [] : [{ name: text, of: "worker", bytes, isSet: name in set }];
  });
  const parts: readonly BudgetPart[] = [
    { name: "the system, for the server", of: "server", bytes: system, isSet: false },
    { name: "supervisor", of: "server", bytes: supervisor, isSet: false },
    { name: "worker by itself", of: "worker", bytes: worker, isSet: false },
    ...(ruby === 0 ? [] : [rubyPart(ruby)]),
    ...listed,
  ];
  const shares = sharesOf(each, needs);
  return {
    total,
    workers,
    parts,
    shares,
    heap: heapOf((each["heap"] ?? 0) + shares.infos + shares.structure + shares.index),
    taken: sumOf(parts.map(({ of, bytes }) => (of === "server" ? bytes : bytes * workers))),
  };
};

const rubyPart = (bytes: number): BudgetPart => ({
  name: "delegate in Ruby",
  of: "worker",
  bytes,
  isSet: false,
});

/** What is set for a worker. */
const setOf = (needs: BudgetNeeds): Readonly<Record<string, number>> => {
  const { set, workers, derivatives, frontShare } = needs;
  const part = derivatives === "front" ? frontShare : 1;
  const all: Readonly<Record<string, number | undefined>> = {
    ...set,
    ...(set.drawing === undefined ? {} : { drawing: Math.floor(set.drawing / workers) }),
    derivatives:
      set.derivatives === undefined || !isThere("derivatives", needs)
        ? undefined
        : Math.floor((set.derivatives * part) / workers),
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, bytes]) =>
      bytes === undefined || !(name in claims) || !isThere(name, needs) ? [] : [[name, bytes]],
    ),
  );
};

const isThere = (
  name: string,
  { derivatives, frontShare, remote }: Pick<BudgetNeeds, "derivatives" | "frontShare" | "remote">,
): boolean => {
  if (name === "remote") return remote;
  if (name === "writing") return derivatives === "front";
  if (name !== "derivatives") return true;
  return derivatives === "memory" || (derivatives === "front" && frontShare > 0);
};

const sharesOf = (each: Readonly<Record<string, number>>, needs: BudgetNeeds): Shares => {
  const { workers, set, derivatives, frontShare } = needs;
  const of = (name: Name): number => each[name] ?? 0;
  const decoder = set.decoder ?? decoderOf(of("threads"), needs);
  const part = derivatives === "front" && frontShare > 0 ? frontShare : 1;
  return {
    ...set,
    drawing: set.drawing ?? of("drawing") * workers,
    decoded: set.decoded ?? Math.min(512 * mega, Math.floor(of("drawing") * largePart)),
    threads: of("threads"),
    thread: Math.floor(of("thread") / 2),
    decoder,
    svg: set.svg ?? Math.max(128 * mega, decoder + svgShared),
    video: set.video ?? Math.max(64 * mega, Math.min(giga, of("threads"))),
    infos: of("infos"),
    structure: of("structure"),
    index: of("index"),
    tiles: of("tiles"),
    blocks: of("blocks"),
    pixels: of("pixels"),
    pages: of("pages"),
    frames: of("frames"),
    remote: of("remote"),
    derivatives: set.derivatives ?? Math.floor((of("derivatives") * workers) / part),
    writing: of("writing"),
    answers: of("answers"),
  };
};

/** Of the memory for drawing, what large images may have. */
const largePart = 0.75;

/** Of a process that draws SVG, what it has in common with others. */
const svgShared = 45 * mega;

/** What one decoder may have: as much as it may need, rather than many of them at once. */
const decoderOf = (threads: number, { processors, workers }: BudgetNeeds): number => {
  const concurrency = Math.max(1, Math.ceil(processors / workers));
  const max = threads - threadBase;
  const fair = Math.floor(threads / concurrency) - threadBase;
  return Math.min(512 * mega, max, Math.max(fair, 256 * mega));
};

/**
 * New values have a part of the heap that is as large as V8 makes it by itself, or less where there
 * is little.
 */
const heapOf = (bytes: number): Budget["heap"] => {
  const young = bytes < 160 * mega ? 12 : bytes < 320 * mega ? 24 : 48;
  return { old: bytes - young * mega, young: young * mega };
};

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
