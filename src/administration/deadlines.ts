import type { RemoteHub } from "./hub.ts";
import type { Member } from "./member.ts";
import { listingMs, maxMakingMs, maxPurgeMs } from "./time-limits.ts";

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
