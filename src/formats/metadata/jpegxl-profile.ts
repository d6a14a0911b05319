import { ServerError } from "../../core/errors.ts";
import { createPool, type Pool } from "../pool/index.ts";

/** What a thread is asked. */
export interface ProfileJob {
  /** Of the codestream, as much as is thought to be enough. */
  readonly beginning: Uint8Array;
  /** How many bytes of a profile are handed out. */
  readonly max: number;
}

/** What the file carries; undefined where the beginning was too little, or is damaged. */
export type ProfileOutcome =
  | {
      /** Of the profile; 0 where there is none. */
      readonly bytes: number;
      /** Absent where there is none, or it has too many bytes. */
      readonly profile?: Uint8Array;
    }
  | undefined;

/**
 * Read profiles of JPEG XL, which are compressed with it (ISO/IEC 18181-1, annex E), away from the
 * event loop.
 */
export type ProfileThreads = Pool<ProfileJob, ProfileOutcome>;

/** Where profiles are read. */
export interface ProfileReading {
  readonly run: ProfileThreads["run"];
  /** Milliseconds that the profile of a file may take, its wait for a thread included; 10,000. */
  readonly patienceMs?: number;
}

/** Threads at a time: images are looked up by hand. */
const maxThreads = 2;

/** How many profiles may wait for a thread. */
const maxWaiting = 16;

/** Milliseconds that a profile may take, compressed ones of several megabytes included. */
const maxMs = 5_000;

/** Milliseconds that a thread may go on with a profile that nobody waits for. */
const graceMs = 250;

/** Milliseconds that a thread stays which has nothing to do. */
const idleMs = 10_000;

/**
 * A few threads, which start when they are needed, for all who look; whoever makes them closes
 * them.
 */
export const createProfileThreads = (): ProfileThreads =>
  createPool<ProfileJob, ProfileOutcome>(() => ({ threads: maxThreads, ms: maxMs }), {
    module: new URL("./jpegxl-profile-worker", import.meta.url),
    failures: {
      late: () =>
        new ServerError(
          "unreadable",
          `Expected the profile of the JPEG XL to be read within ${maxMs} ms; it is left out.`,
        ),
      broken: (cause) =>
        new ServerError(
          "unreadable",
          "Expected a profile of the JPEG XL that can be read in the memory there is; it is left out.",
          { cause },
        ),
      notStarted: (cause) =>
        new ServerError("internal", "A thread that reads profiles did not start.", { cause }),
      damaged: (cause) =>
        new ServerError("unreadable", "Corrupt profile in the JPEG XL; it is skipped.", { cause }),
    },
    maxWaiting,
    graceMs,
    idleMs,
  });
