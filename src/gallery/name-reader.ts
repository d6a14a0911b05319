import { setImmediate as nextTurn } from "node:timers/promises";
import { ServerError } from "../core/errors.ts";
import type { Listing, Source } from "../core/source.ts";
import { galleryEntries, type IsImage } from "./entries.ts";
import { NameIndex } from "./name-index.ts";

/** Entries requested at a time: the most that a listing returns. */
const perPart = 1_000;

/** Milliseconds that reading all names may take. */
const maxReadingMs = 600_000;

/** The dependencies of reading names. */
export interface NameReading {
  readonly source: Pick<Source, "list">;
  readonly isImage: IsImage;
  readonly maxNames: number;
  readonly signal: AbortSignal;
}

/** Names of a source: all of them, or those read so far. */
export interface Names {
  readonly index: NameIndex;
  /** `read`: all; `bounded`: the index was full or time ran out; `failed`: the source failed. */
  readonly state: "reading" | "read" | "bounded" | "failed";
  /** When reading began and ended, in milliseconds of `performance.now`. */
  readonly began: number;
  readonly ended: number | undefined;
}

/**
 * Reads the names of all folders and images of a source in the background, breadth first. Folders
 * that may not be read are skipped. Never rejects.
 */
export const readNames = (reading: NameReading): Names => new ReadNames(reading);

class ReadNames implements Names {
  readonly index: NameIndex;
  readonly began = performance.now();
  state: Names["state"] = "reading";
  ended: number | undefined;

  constructor(reading: NameReading) {
    this.index = new NameIndex(reading.maxNames);
    void this.#read(reading);
  }

  async #read({ source, isImage, signal }: NameReading): Promise<void> {
    const late = AbortSignal.timeout(maxReadingMs);
    try {
      for await (const { entries } of partsOf(source, AbortSignal.any([signal, late]))) {
        this.index.add(galleryEntries(entries, isImage));
        if (this.index.isFull) break;
        // Gives way to requests.
        await nextTurn();
      }
      this.state = this.index.isFull ? "bounded" : "read";
    } catch {
      // Opening the folder reports the reason.
      this.state = late.aborted ? "bounded" : "failed";
    }
    this.ended = performance.now();
  }
}

/** The parts of all folders, breadth first. */
async function* partsOf(
  source: Pick<Source, "list">,
  signal: AbortSignal,
): AsyncGenerator<Listing> {
  const folders = [""];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    let after: string | undefined;
    do {
      signal.throwIfAborted();
      const part = await source
        .list?.(folder, { after, max: perPart, signal })
        .catch((error: unknown) => skipped(error));
      if (part === undefined) break;
      for (const entry of part.entries) if (entry.kind === "folder") folders.push(entry.path);
      yield part;
      after = part.next;
    } while (after !== undefined);
  }
}

/** Nothing for a folder that was removed or may not be read; throws any other error. */
const skipped = (error: unknown): undefined => {
  const failure = error instanceof ServerError ? error.failure : undefined;
  if (failure === "missing" || failure === "denied") return undefined;
  throw error;
};
