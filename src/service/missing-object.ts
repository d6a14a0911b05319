import { ServerError } from "../core/errors.ts";
import type { SourceObject } from "../core/source.ts";

/** Whether a failure means that a source does not have an image any more, or cannot tell. */
export const isMissingObject = (error: unknown): error is ServerError =>
  error instanceof ServerError && losses.has(error.failure);

const losses: ReadonlySet<string> = new Set(["missing", "denied", "upstream"]);

/**
 * A stored object that is gone, as it was; opening it fails as asking the source for it did. `tell`
 * is called then.
 */
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
