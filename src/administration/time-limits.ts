import { isMaking, type Verb } from "./task.ts";

/** Time limit of a purge in milliseconds. */
export const maxPurgeMs = 6 * 3_600_000;

/** Time limit of a task that makes pyramids, in milliseconds: a large collection takes days. */
export const maxMakingMs = 14 * 86_400_000;

/** Time limit of a task in milliseconds. */
export const maxTaskMs = (verb: Verb): number => (isMaking(verb) ? maxMakingMs : maxPurgeMs);

/** Time limit in milliseconds of listing pyramids, in one process. */
export const listingMs = 4_000;
