import type { Verb } from "../server/wire.ts";

/** A kind of task, as described to users. */
export interface VerbWords {
  readonly title: string;
  /** Its effect and consequences. */
  readonly help: string;
  /** The button's text. */
  readonly action: string;
}

/** The purges of caches in the order shown: those that remove the least come first. */
export const cachePurges = [
  "PurgeItemFromCache",
  "PurgeInvalidFromCache",
  "PurgeInfoCache",
  "PurgeInfosFromCache",
  "PurgeCache",
] as const satisfies readonly Verb[];

/** Whether tasks of this kind make pyramids, in the background. */
export const isMaking = (verb: Verb): boolean => verb === "MakePyramid" || verb === "MakePyramids";

/** Whether tasks of this kind concern pyramids. */
export const isOfPyramids = (verb: Verb): boolean =>
  isMaking(verb) || verb === "PurgePyramid" || verb === "PurgePyramids";

/** The kinds of tasks. */
export const verbWords: Readonly<Record<Verb, VerbWords>> = {
  PurgeItemFromCache: {
    title: "Purge an image",
    help: "Deletes all cached data of one image: its derivatives, its info, its pyramids and the copy of its file.",
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
    help: "Empties all caches and deletes all pyramids. Every image is rendered again at its next request: expect load.",
    action: "Purge everything",
  },
  MakePyramid: {
    title: "Make the pyramids of an image",
    help: "Makes, in the background, the missing pyramids of all pages of the image that are slow to zoom. Pages that were refused are retried.",
    action: "Make pyramids",
  },
  MakePyramids: {
    title: "Make the pyramids of all images",
    help: "Reads all images of the source and makes, in the background, the missing pyramids of those that are slow to zoom. This can take days and much disk space. You can cancel the task; started again, it skips finished pyramids.",
    action: "Make all pyramids",
  },
  PurgePyramid: {
    title: "Delete the pyramids of an image",
    help: "Deletes the pyramids of the image and its recorded refusals. Pyramids are regenerated when requests need them.",
    action: "Delete pyramids",
  },
  PurgePyramids: {
    title: "Delete all pyramids",
    help: "Deletes all pyramids and all recorded refusals. Images are slow to zoom until their pyramids are regenerated.",
    action: "Delete all pyramids",
  },
};
