import type { RemoteHub } from "./hub.ts";
import type { Member } from "./member.ts";
import { isMaking, type Verb } from "./task.ts";

/** Time limit of a purge in milliseconds. */
export const maxPurgeMs = 6 * 3_600_000;

/** Time limit of a task that makes pyramids, in milliseconds: a large collection takes days. */
export const maxMakingMs = 14 * 86_400_000;

/** Time limit of a task in milliseconds. */
export const maxTaskMs = (verb: Verb): number => (isMaking(verb) ? maxMakingMs : maxPurgeMs);

/** Time limit in milliseconds of listing pyramids, in one process. */
export const listingMs = 4_000;

/** Time limit of a call to a worker in milliseconds. */
export const memberDeadlines: Readonly<Record<keyof Member, number>> = {
  sample: 800,
  status: 3_000,
  formats: 5_000,
  // As long as a task may take: its caller does not wait for it.
  purge: maxPurgeMs,
  makePyramids: maxMakingMs,
  making: 1_000,
  stopMaking: 1_000,
  pyramids: listingMs + 1_000,
  served: 1_000,
  sources: 1_000,
  traffic: 1_000,
  inMemory: 1_000,
  adopt: 2_000,
};

/**
 * Time limit of a worker's call to the supervisor in milliseconds: longer than that of the calls to
 * workers it causes.
 */
export const hubDeadlines: Readonly<Record<keyof RemoteHub, number>> = {
  status: 8_000,
  figures: 3_000,
  begin: 3_000,
  tasks: 3_000,
  task: 3_000,
  cancel: 3_000,
  pyramids: 2 * listingMs + 4_000,
  configuration: 3_000,
  written: 3_000,
  check: 3_000,
  change: 15_000,
  logs: 3_000,
  admit: 3_000,
  beginSession: 3_000,
  session: 3_000,
  endSession: 3_000,
  served: 2_000,
  sources: 2_000,
  traffic: 2_000,
  inMemory: 2_000,
  runtime: 5_000,
  accepted: 5_000,
};
