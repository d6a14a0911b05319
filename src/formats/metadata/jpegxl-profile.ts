import { ServerError } from "../../core/errors.ts";
import { createPool, type Pool } from "../pool/index.ts";

/** A thread's job. */
export interface ProfileJob {
  /** The beginning of the codestream, as much as is probably enough. */
  readonly beginning: Uint8Array;
  /** Maximum bytes of a returned profile. */
  readonly max: number;
}

/** The file's profile; undefined where the beginning was too short, or is corrupt. */
export type ProfileOutcome =
  | {
      /** Length of the profile; 0 where there is none. */
      readonly bytes: number;
      /** Absent where there is none, or it is too long. */
      readonly profile?: Uint8Array;
    }
  | undefined;

/**
 * Reads profiles of JPEG XL, which are compressed with it (ISO/IEC 18181-1, annex E), away from the
 * event loop.
 */
export type ProfileThreads = Pool<ProfileJob, ProfileOutcome>;

/** The threads that read profiles. */
export interface ProfileReading {
  readonly run: ProfileThreads["run"];
  /** Time limit in milliseconds of a file's profile, including the wait for a thread; 10,000. */
  readonly patienceMs?: number;
}

/** Maximum number of threads: images are looked up by hand. */
const maxThreads = 2;

/** Maximum number of profiles that wait for a thread. */
const maxWaiting = 16;

/** Time limit of a profile in milliseconds, allowing for compressed ones of several megabytes. */
const maxMs = 5_000;

/** Milliseconds for which a thread may continue with a profile that nobody waits for. */
const graceMs = 250;

/** Milliseconds after which an idle thread ends. */
const idleMs = 10_000;

/** A few threads, started on demand, for all readers; the creator closes them. */
export const createProfileThreads = (): ProfileThreads =>
  createPool<ProfileJob, ProfileOutcome>(() => ({ threads: maxThreads, ms: maxMs }), {
    module: new URL("./jpegxl-profile-worker", import.meta.url),
    failures: {
      late: () =>
        new ServerError(
          "unreadable",
          `Reading the ICC profile of the JPEG XL took longer than ${maxMs} ms; it is skipped.`,
        ),
      broken: (cause) =>
        new ServerError(
          "unreadable",
          "Reading the ICC profile of the JPEG XL needs too much memory; it is skipped.",
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
