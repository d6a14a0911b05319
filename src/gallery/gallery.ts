import { sleep } from "../core/abort.ts";
import { fail, ServerError } from "../core/errors.ts";
import { quoted } from "../core/identifier.ts";
import type { ListingOptions, Source } from "../core/source.ts";
import { type GalleryEntry, galleryEntries, type IsImage } from "./entries.ts";
import { type Names, readNames } from "./name-reader.ts";
import { wordsOf } from "./words.ts";

/** A part of a folder: the images and folders in it. */
export interface GalleryPart {
  /** Possibly none, where all entries of the part are other files. */
  readonly entries: readonly GalleryEntry[];
  /** Pass it as `after`; absent at the end of the folder. */
  readonly next?: string;
}

/** A part of what a search finds. */
export interface SearchPart {
  readonly entries: readonly GalleryEntry[];
  /** Pass it as `from`; absent where nothing follows. */
  readonly next?: number;
  /** Whether all names were searched, or why not. */
  readonly state: Names["state"];
}

/** Which part of what a search finds is wanted. */
export interface SearchOptions {
  /** 0, or the `next` of the part before. */
  readonly from: number;
  readonly max: number;
  readonly signal: AbortSignal;
}

/** The folders and images of a source. */
export interface Gallery {
  /** Whether the source can be listed; `list` may still return undefined. */
  readonly isListable: boolean;
  /**
   * A part of a folder, as `Source.list`. Undefined where the source cannot be listed; throws
   * `missing` where there is no such folder.
   */
  list(folder: string, options: ListingOptions): Promise<GalleryPart | undefined>;
  /**
   * Folders and images of the whole source by words in their names. The first search has the names
   * read, and finds what has been read so far.
   */
  search(text: string, options: SearchOptions): Promise<SearchPart>;
  close(): void;
}

/** What a gallery is made of. */
export interface GalleryParts {
  readonly source: Pick<Source, "list">;
  readonly isImage: () => IsImage;
  /** Maximum number of names that are searched. */
  readonly maxNames: () => number;
}

/** Milliseconds that a search waits for names that are being read. */
const waitingMs = 800;

/** Names are read again when they are this old, in milliseconds, and in terms of how long it took. */
const minAgeMs = 60_000;
const minAgeReadings = 20;

/** Milliseconds after which names are read again where the source did not answer. */
const retryMs = 5_000;

/** Further names for which a search waits, and milliseconds between looks at how many there are. */
const manyNames = 20_000;
const pollMs = 20;

/** Creates a gallery; it reads nothing before it is used. */
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

/** Waits until so many names are there, all of them, or no longer than a search may take. */
const filled = async (names: Names, wanted: number, signal: AbortSignal): Promise<void> => {
  const end = performance.now() + waitingMs;
  while (names.state === "reading" && names.index.size < wanted && performance.now() < end)
    await sleep(pollMs, signal);
};
