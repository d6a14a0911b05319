import { sleep } from "../core/abort.ts";
import { fail, ServerError } from "../core/errors.ts";
import { quoted } from "../core/identifier.ts";
import type { ListingOptions, Source } from "../core/source.ts";
import { type GalleryEntry, galleryEntries, type IsImage } from "./entries.ts";
import { type Names, readNames } from "./name-reader.ts";
import { wordsOf } from "./words.ts";

/** A part of a folder's images and subfolders. */
export interface GalleryPart {
  /** May be empty if all entries of the part are other files. */
  readonly entries: readonly GalleryEntry[];
  /** Pass it as `after`; absent at the end of the folder. */
  readonly next?: string;
}

/** A part of the results of a search. */
export interface SearchPart {
  readonly entries: readonly GalleryEntry[];
  /** Pass it as `from`; absent at the end. */
  readonly next?: number;
  /** Whether all names were searched, or why not. */
  readonly state: Names["state"];
}

/** The part of the results to return. */
export interface SearchOptions {
  /** 0, or the `next` of the previous part. */
  readonly from: number;
  readonly max: number;
  readonly signal: AbortSignal;
}

/** The folders and images of a source. */
export interface Gallery {
  /** Whether the source can be listed; `list` may still return undefined. */
  readonly isListable: boolean;
  /**
   * A part of a folder, as `Source.list`. Undefined if the source cannot be listed; throws
   * `missing` if the folder does not exist.
   */
  list(folder: string, options: ListingOptions): Promise<GalleryPart | undefined>;
  /**
   * Folders and images of the whole source by words in their names. The first search starts reading
   * the names, and searches those that have been read so far.
   */
  search(text: string, options: SearchOptions): Promise<SearchPart>;
  close(): void;
}

/** The dependencies of a gallery. */
export interface GalleryParts {
  readonly source: Pick<Source, "list">;
  readonly isImage: () => IsImage;
  /** Maximum number of names that are searched. */
  readonly maxNames: () => number;
}

/** Milliseconds that a search waits for names that are being read. */
const waitingMs = 800;

/**
 * Minimum age of names before they are reread: milliseconds, and a multiple of the reading time.
 */
const minAgeMs = 60_000;
const minAgeReadings = 20;

/** Milliseconds after which names are reread if the source did not respond. */
const retryMs = 5_000;

/** Number of further names for which a search waits, and its polling interval in milliseconds. */
const manyNames = 20_000;
const pollMs = 20;

/** Creates a gallery, which reads nothing until it is used. */
export const createGallery = ({ source, isImage, maxNames }: GalleryParts): Gallery => {
  const closing = new AbortController();
  let current: Names | undefined;
  let newer: Names | undefined;

  const read = (): Names =>
    readNames({ source, isImage: isImage(), maxNames: maxNames(), signal: closing.signal });

  /** The names to search: old ones until newer ones are read. */
  const names = (): Names => {
    if (current === undefined) current = read();
    else if (newer?.ended !== undefined) {
      if (newer.state !== "failed" || current.state === "failed") current = newer;
      newer = undefined;
    } else if (newer === undefined && isOld(current)) newer = read();
    return current;
  };

  return {
    isListable: source.list !== undefined,

    async list(folder, options) {
      try {
        const part = await source.list?.(folder, options);
        return part && { ...part, entries: galleryEntries(part.entries, isImage()) };
      } catch (error) {
        if (!(error instanceof ServerError && error.failure === "missing")) throw error;
        return fail("missing", `There is no folder ${quoted(folder)}.`, error);
      }
    },

    async search(text, { from, max, signal }) {
      const searched = names();
      await filled(searched, from + manyNames, signal);
      const { state, index } = searched;
      const end = index.size;
      const entries: GalleryEntry[] = [];
      for (const { entry, next } of index.find(wordsOf(text), from)) {
        entries.push(entry);
        if (entries.length === max) return { entries, next, state };
      }
      return { entries, state, ...(state === "reading" ? { next: Math.max(from, end) } : {}) };
    },

    close: () => closing.abort(),
  };
};

const isOld = ({ state, began, ended }: Names): boolean => {
  if (ended === undefined) return false;
  const age = performance.now() - ended;
  return (
    age > (state === "failed" ? retryMs : Math.max(minAgeMs, (ended - began) * minAgeReadings))
  );
};

/** Waits until enough or all names are read, or until the time limit of a search. */
const filled = async (names: Names, wanted: number, signal: AbortSignal): Promise<void> => {
  const end = performance.now() + waitingMs;
  while (names.state === "reading" && names.index.size < wanted && performance.now() < end)
    await sleep(pollMs, signal);
};
