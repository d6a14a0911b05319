import { type Claim, divide } from "./division.ts";
import type { Shares } from "./shares.ts";

/** Inputs of a memory budget. */
export interface BudgetNeeds {
  /** Bytes that the whole server may use. */
  readonly total: number;
  /** Number of worker processes, and of processors they share. */
  readonly workers: number;
  readonly processors: number;
  /** Configured shares in bytes; they are subtracted first. */
  readonly set: Partial<Shares>;
  /**
   * Whether derivatives are cached in memory, and whether in front of a cache outside the process.
   */
  readonly derivatives: "none" | "memory" | "front";
  /** The fraction of the derivatives' share that is used in front of another cache. */
  readonly frontShare: number;
  /** Whether any source is remote. */
  readonly remote: boolean;
  /** Bytes of a Ruby delegate in each worker; absent: none. */
  readonly ruby?: number;
}

/** A row of the budget. */
export interface BudgetPart {
  readonly name: string;
  /** Whether each worker uses it, or the server once. */
  readonly of: "server" | "worker";
  /** Bytes of each. */
  readonly bytes: number;
  /** Whether a key sets it. */
  readonly isSet: boolean;
}

/** The division of a server's memory. */
export interface Budget {
  readonly total: number;
  readonly workers: number;
  readonly parts: readonly BudgetPart[];
  readonly shares: Shares;
  /** Heap limits of a worker's main thread: of the old and the young generation. */
  readonly heap: { readonly old: number; readonly young: number };
  /** The sum of all rows in bytes; more than `total` where the configured shares do not fit. */
  readonly taken: number;
}

const mega = 2 ** 20;
const giga = 2 ** 30;

/** What the system needs for the server: sockets, page tables, and mapped programs. */
const systemOf = (total: number): number => Math.floor(20 * mega + Math.min(giga, total * 0.04));

/**
 * Baseline of the supervisor, and of a worker that has rendered images of all kinds, besides the
 * rows listed for it.
 */
const supervisor = 64 * mega;
const worker = 64 * mega;

/** An idle thread uses less; a decoding one somewhat more besides its decoder's memory. */
export const threadBase = 24 * mega;

/** Shares of a worker, in the order of the table. Configured or absent ones have no weight. */
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
  overviews: { floor: 0, weight: 0.5, ceiling: 256 * mega },
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
  overviews: "overviews of untiled images",
  blocks: "decoded blocks of JPEG 2000",
  pixels: "decoded pixels of JPEG 2000",
  pages: "rendered pages of PDF documents",
  frames: "decoded frames of videos",
  remote: "parts of remote files",
  derivatives: "derivatives",
  writing: "derivatives queued for the cache",
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

/** Configured shares of a worker. */
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
    overviews: of("overviews"),
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

/** The fraction of render memory that large images may use. */
const largePart = 0.75;

/** Memory that a process rendering SVG shares with others. */
const svgShared = 45 * mega;

/** Memory of one decoder: as much as it may need, rather than many decoders at once. */
const decoderOf = (threads: number, { processors, workers }: BudgetNeeds): number => {
  const concurrency = Math.max(1, Math.ceil(processors / workers));
  const max = threads - threadBase;
  const fair = Math.floor(threads / concurrency) - threadBase;
  return Math.min(512 * mega, max, Math.max(fair, 256 * mega));
};

/** The young generation is as large as V8's default, or smaller where memory is scarce. */
const heapOf = (bytes: number): Budget["heap"] => {
  const young = bytes < 160 * mega ? 12 : bytes < 320 * mega ? 24 : 48;
  return { old: bytes - young * mega, young: young * mega };
};

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
