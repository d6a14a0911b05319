import { ServerError } from "../core/errors.ts";
import type { SourceObject } from "../core/source.ts";

/** Whether an error means that a source no longer has an image, or cannot tell. */
export const isMissingObject = (error: unknown): error is ServerError =>
  error instanceof ServerError && losses.has(error.failure);

const losses: ReadonlySet<string> = new Set(["missing", "denied", "upstream"]);

/** A stored object that is gone; opening it calls `tell` and fails as asking the source did. */
export const missingObject = (
  version: string,
  lastModified: Date | undefined,
  loss: ServerError,
  tell: () => void,
): SourceObject => ({
  version,
  size: 0,
  ...(lastModified ? { lastModified } : {}),
  async open() {
    tell();
    throw loss;
  },
});
