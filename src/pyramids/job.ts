import type { Page } from "../core/info.ts";
import type { KnownImage } from "../service/known.ts";
import type { PyramidEncoding } from "./encoding.ts";
import type { PageFacts } from "./facts.ts";

/** A pyramid to make. */
export interface PyramidJob {
  /** The name in the store. */
  readonly name: string;
  readonly image: KnownImage;
  readonly page: Page;
  readonly facts: Omit<PageFacts, "made" | "reason">;
  /** Whether to retry a page that was refused before. */
  readonly retries: boolean;
}

/** The limits of a job. */
export interface JobLimits {
  /** Of all pyramids together, in bytes. */
  readonly maxSize: number;
  /** Of the process, in bytes. */
  readonly memory: number;
  readonly timeoutMs: number;
  /** Nice value of the process, from 0 (the priority of requests) to 19 (the lowest). */
  readonly niceness: number;
  /** Of JPEG and WebP tiles, 1 to 100. */
  readonly quality: number;
  readonly encoding: PyramidEncoding;
  /** In pixels, of the shorter side of the smallest level that `info.json` offers. */
  readonly minSide: number;
  /** Of a remote file that is downloaded for its pyramid, in bytes. */
  readonly maxDownload: number;
}
