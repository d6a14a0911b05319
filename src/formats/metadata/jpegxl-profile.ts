import { ServerError } from "../../core/errors.ts";
import { createPool, type Pool } from "../threads/pool.ts";

/** What a thread is asked. */
export interface ProfileJob {
  /** Of the codestream, as much as is thought to be enough. */
  readonly beginning: Uint8Array;
  /** How many bytes of a profile are handed out. */
  readonly most: number;
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

/** Read profiles of JPEG XL, which are compressed with it (ISO/IEC 18181-1, annex E), away from the event loop. */
export type ProfileThreads = Pool<ProfileJob, ProfileOutcome>;

/** Milliseconds that a profile may take, compressed ones of several megabytes included. */
const mostMs = 5_000;

/** One thread, which starts when it is needed; whoever makes it closes it. */
export const createProfileThreads = (): ProfileThreads =>
  createPool<ProfileJob, ProfileOutcome>(() => ({ threads: 1, ms: mostMs }), {
    module: new URL("./jpegxl-profile-worker", import.meta.url),
    failures: {
      late: () =>
        new ServerError(
          "unreadable",
          `Expected the profile of the JPEG XL to be read within ${mostMs} ms; it is left out.`,
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
        new ServerError(
          "unreadable",
          "Expected a whole profile in the JPEG XL; it is damaged, and left out.",
          { cause },
        ),
    },
  });
