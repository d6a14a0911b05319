import type { Version } from "../../iiif/version.ts";

/** What answers the requests that fill caches: a running server, or the app in this process. */
export interface WarmTarget {
  /** For messages, as in `http://127.0.0.1:8182`. */
  readonly name: string;
  /** Whether a 401 means that no other request will be answered either. */
  readonly isOneLogin: boolean;
  /** The enabled versions of the Image API, latest first. Throws `Unreachable`. */
  versions(signal: AbortSignal): Promise<readonly Version["number"][]>;
  /**
   * Sends a GET to a path such as `/iiif/3/a.tif/info.json` and receives the whole response.
   * Throws `Unreachable`, and the signal's reason.
   */
  get(path: string, signal: AbortSignal): Promise<WarmAnswer>;
  /** Makes the pyramids of an image; absent where it cannot. Throws `WarmFailure`. */
  readonly makePyramids?: MakePyramids | undefined;
  /**
   * Waits until all responses so far are stored; false if some could not be stored since the
   * previous call.
   */
  settle(signal: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

/** Makes the pyramids of an image; `onProgress` gets 0 to 1. */
export type MakePyramids = (
  identifier: string,
  onProgress: (share: number) => void,
  signal: AbortSignal,
) => Promise<void>;

/** A response. */
export interface WarmAnswer {
  readonly status: number;
  /** Length of the body. */
  readonly bytes: number;
  /** The body where it is JSON or an error, at most `maxText` bytes of it. */
  readonly text: string;
  /** From `Retry-After`, in seconds. */
  readonly retryAfter?: number;
}

/** Maximum bytes of a body that is read as text. */
export const maxText = 4_194_304;

/** A target that cannot be reached: the run ends. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

/** A run that cannot continue. */
export class WarmStopped extends Error {
  override readonly name = "WarmStopped";
}

/** A part of the work that failed; the message says why. */
export class WarmFailure extends Error {
  override readonly name = "WarmFailure";
}

/** The seconds of a Retry-After header (RFC 9110 §10.2.3); undefined where it has none. */
export const retryAfterSeconds = (
  header: unknown,
  now: number = Date.now(),
): number | undefined => {
  const text = typeof header === "string" ? header.trim() : "";
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1_000);
};
