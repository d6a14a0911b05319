import { ServerError } from "../core/errors.ts";

/** Something that is opened when it is first needed. */
export interface Lazy<T> {
  /** Opens it, or answers what is open; one that could not be opened is tried again. */
  get(): Promise<T>;
  /** What is open; undefined where nothing is. */
  opened(): Promise<T> | undefined;
}

/**
 * Opens something once. What is `malformed` about the configuration is `internal` here: whoever
 * asks for an image cannot mend it.
 */
export const lazyOf = <T>(open: () => Promise<T>): Lazy<T> => {
  let opening: Promise<T> | undefined;
  return {
    get() {
      opening ??= open().catch((error: unknown) => {
        opening = undefined;
        throw error instanceof ServerError && error.failure === "malformed"
          ? new ServerError("internal", error.message, { cause: error })
          : error;
      });
      return opening;
    },
    opened: () => opening,
  };
};

/**
 * Why something cannot be opened, where the configuration is the reason; undefined where it can be.
 */
export const whyNotOpen = async <T>(
  open: () => Promise<T>,
  close: (opened: T) => unknown,
): Promise<string | undefined> => {
  try {
    await close(await open());
    return undefined;
  } catch (error) {
    if (error instanceof ServerError) return error.message;
    throw error;
  }
};
