import { ServerError } from "../core/errors.ts";

/** Something that is opened on first use. */
export interface Lazy<T> {
  /** Opens it, or returns it where it is open; tries again after a failure. */
  get(): Promise<T>;
  /** The open object; undefined where there is none. */
  opened(): Promise<T> | undefined;
}

/**
 * Opens something once. A `malformed` configuration becomes `internal` here, since the client
 * cannot fix it.
 */
export const openOnce = <T>(open: () => Promise<T>): Lazy<T> => {
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
