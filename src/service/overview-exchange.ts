import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { untilAborted } from "../core/abort.ts";
import type { Logger } from "../core/log.ts";
import type { FinalPart } from "../formats/shared/index.ts";
import type { Overview, TakeGrowing } from "../render/overview.ts";
import { LentFile } from "./lent-file.ts";
import type { LendOverview, OtherOverviews } from "./overviews.ts";

/** An overview in a file of the process that makes it. Plain data. */
export interface LentOverview extends Omit<Overview, "pixels"> {
  /** Of the file, which can be read for some seconds. */
  readonly path: string;
  /** The size of the overview in bytes. */
  readonly bytes: number;
  /** How much of it is in the file. */
  readonly final: FinalPart;
}

/** Milliseconds for which another process can read an overview that was lent. */
const lentMs = 5_000;

/** Claims at a time: well below what the connection to the supervisor carries. */
const maxClaiming = 64;

/** In memory first, which containers may limit to 64 MiB. */
const defaultFolders: readonly string[] = ["/dev/shm", tmpdir()];

/** Finds an overview of another process with more bytes than `after`. */
type FindLent = (name: string, after: number) => Promise<LentOverview | undefined>;

/** How an exchange finds overviews, and where it puts those that it lends. */
export interface ExchangeOptions {
  /**
   * Finds who has an overview, with more bytes than `after`; undefined: this process is recorded as
   * the one that makes it.
   */
  readonly claim: FindLent;
  /** Finds who has an overview, as `claim`, but records nothing. */
  readonly look: FindLent;
  readonly log: Logger;
  /** Folders for the files, in the order in which they are tried. */
  readonly folders?: readonly string[];
}

/**
 * Exchanges overviews with the server's other processes, through files without a name that are
 * opened by their descriptors in `/proc` (Linux). A failure only costs the time to make an overview
 * again.
 */
export class OverviewExchange implements OtherOverviews {
  readonly #options: ExchangeOptions;
  #own: LendOverview = async () => undefined;
  #maxBytes = 0;
  #bytes = 0;
  #claiming = 0;
  readonly #lent = new WeakMap<Overview, Lending>();

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  serve(lend: LendOverview, maxBytes: number): void {
    this.#own = lend;
    this.#maxBytes = maxBytes;
  }

  find(name: string, signal: AbortSignal, grown: TakeGrowing): Promise<Overview | undefined> {
    const { claim } = this.#options;
    return this.#borrow(signal, (after) => claim(name, after), grown);
  }

  look(name: string, signal: AbortSignal): Promise<Overview | undefined> {
    const { look } = this.#options;
    return this.#borrow(signal, (after) => look(name, after));
  }

  async #borrow(
    signal: AbortSignal,
    ask: (after: number) => Promise<LentOverview | undefined>,
    grown?: TakeGrowing,
  ): Promise<Overview | undefined> {
    if (this.#claiming >= maxClaiming) return undefined;
    this.#claiming++;
    try {
      return await readLent(signal, ask, grown);
    } catch (err) {
      signal.throwIfAborted();
      this.#options.log.debug("An overview of another worker cannot be used and is made again.", {
        err,
      });
      return undefined;
    } finally {
      this.#claiming--;
    }
  }

  /**
   * The overview in a file for another process, with more bytes than `after`; undefined where this
   * one has none, or lends as many bytes already as it may. Throws where no file can be written.
   */
  async lend(name: string, after = 0): Promise<LentOverview | undefined> {
    const own = await this.#own(name, after);
    if (own === undefined) return undefined;
    const { overview, final } = own;
    const { pixels, ...rest } = overview;
    const bytes = pixels.length;
    let lending = this.#lent.get(overview);
    if (lending === undefined) {
      if (this.#bytes + bytes > this.#maxBytes) return undefined;
      lending = this.#begin(overview);
    }
    try {
      const path = await lending.file.extend(final.bytes);
      lending.end.refresh();
      return { path, bytes, final, ...rest };
    } catch (error) {
      lending.stop();
      throw error;
    }
  }

  #begin(overview: Overview): Lending {
    const bytes = overview.pixels.length;
    const file = new LentFile(overview.pixels, this.#options.folders ?? defaultFolders);
    this.#bytes += bytes;
    const stop = (): void => {
      if (this.#lent.get(overview) !== lending) return;
      this.#lent.delete(overview);
      this.#bytes -= bytes;
      clearTimeout(lending.end);
      file.close();
    };
    const lending: Lending = { file, stop, end: setTimeout(stop, lentMs).unref() };
    this.#lent.set(overview, lending);
    return lending;
  }
}

/** An overview that is lent. */
interface Lending {
  readonly file: LentFile;
  readonly end: NodeJS.Timeout;
  stop(): void;
}

/** Reads an overview from another process, part by part, as it makes it. */
const readLent = async (
  signal: AbortSignal,
  ask: (after: number) => Promise<LentOverview | undefined>,
  grown?: TakeGrowing,
): Promise<Overview | undefined> => {
  let from = "";
  let overview: Overview | undefined;
  for (let at = 0; ; ) {
    const lent = await untilAborted(signal, () => ask(at));
    if (lent === undefined) return undefined;
    const { path, bytes, final, ...rest } = lent;
    if (overview === undefined || path !== from || overview.pixels.length !== bytes) {
      overview = { ...rest, pixels: new Uint8Array(bytes) };
      from = path;
      at = 0;
    }
    if (final.bytes <= at) throw new Error("Expected more bytes than before, got none.");
    await readInto(overview.pixels.subarray(at, final.bytes), path, at);
    at = final.bytes;
    if (at === bytes) return overview;
    grown?.(overview, final);
  }
};

/**
 * Reads bytes of a file at once: in several pieces, each would wait for a thread that may be busy
 * decoding. Throws if the file has fewer.
 */
const readInto = async (to: Uint8Array, path: string, position: number): Promise<void> => {
  const file = await open(path);
  try {
    const { bytesRead } = await file.read(to, 0, to.length, position);
    if (bytesRead !== to.length)
      throw new Error(`Expected ${to.length} bytes in its file, got ${bytesRead}.`);
  } finally {
    await file.close();
  }
};
