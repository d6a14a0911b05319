import type { Verb } from "../server/wire.ts";

/** A kind of task, as people are told of it. */
export interface VerbWords {
  readonly title: string;
  /** What it takes away, and what that costs. */
  readonly help: string;
  /** What the button says. */
  readonly action: string;
}

/** The kinds of task, in the order in which they are offered: what takes away least comes first. */
export const verbWords: Readonly<Record<Verb, VerbWords>> = {
  PurgeItemFromCache: {
    title: "Purge an image",
    help: "Takes out all that is kept of one image: its pictures, its information and the copy of its file.",
    action: "Purge the image",
  },
  PurgeInvalidFromCache: {
    title: "Purge what is too old",
    help: "Takes out what is past its time to live. Nothing is lost that would still be used.",
    action: "Purge what is too old",
  },
  PurgeInfoCache: {
    title: "Purge image information in memory",
    help: "Forgets what is known of images in memory. It is read again when an image is asked for next.",
    action: "Purge the information",
  },
  PurgeInfosFromCache: {
    title: "Purge image information everywhere",
    help: "Takes image information out of memory and of the caches behind it. Files are read again.",
    action: "Purge the information",
  },
  PurgeCache: {
    title: "Purge everything",
    help: "Empties all caches. Every picture is drawn again when it is asked for next: expect load.",
    action: "Purge everything",
  },
};
