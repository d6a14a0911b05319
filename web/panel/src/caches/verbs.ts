import type { Verb } from "../server/wire.ts";

/** A kind of task, as described to users. */
export interface VerbWords {
  readonly title: string;
  /** What it removes, and the consequences. */
  readonly help: string;
  /** The button's text. */
  readonly action: string;
}

/** The kinds of tasks in the order shown: those that remove the least come first. */
export const verbWords: Readonly<Record<Verb, VerbWords>> = {
  PurgeItemFromCache: {
    title: "Purge an image",
    help: "Deletes all cached data of one image: its derivatives, its info and the copy of its file.",
    action: "Purge the image",
  },
  PurgeInvalidFromCache: {
    title: "Purge expired entries",
    help: "Deletes entries past their time to live. Entries in use stay.",
    action: "Purge expired entries",
  },
  PurgeInfoCache: {
    title: "Purge image information in memory",
    help: "Clears image infos in memory. They are read again at the next request.",
    action: "Purge the information",
  },
  PurgeInfosFromCache: {
    title: "Purge image information everywhere",
    help: "Removes image infos from memory and from the caches behind it. Files are read again.",
    action: "Purge the information",
  },
  PurgeCache: {
    title: "Purge everything",
    help: "Empties all caches. Every image is rendered again at its next request: expect load.",
    action: "Purge everything",
  },
};
