import { CopyFailed } from "../caches/source-download.ts";
import { fail } from "../core/errors.ts";
import type { RangeReader } from "../core/range-reader.ts";

/** How a remote object is copied for a format that needs the whole file. */
export interface OnDemand {
  /**
   * Opens a reader of a local copy. Throws `CopyFailed` where this machine is the cause, such as a
   * full disk.
   */
  readonly copy: (signal: AbortSignal) => Promise<RangeReader>;
  /** Whether there is a copy already. */
  readonly has: () => Promise<boolean>;
  readonly tell: (error: CopyFailed) => void;
  /** Refuses objects that would need a copy instead of copying them. */
  readonly refuses: boolean;
}

/** Objects up to this size, in bytes, are read remotely even as a whole: one request is enough. */
const readInPlace = 65_536;

/**
 * A reader that reads ranges remotely and copies the object to this machine once all of it is
 * needed. From then on it reads from the copy.
 */
export const copiedOnDemand = (
  reader: RangeReader,
  { copy, has, tell, refuses }: OnDemand,
): RangeReader => {
  let copying: Promise<RangeReader | undefined> | undefined;
  const { size, identity, isFar, readMany, prefetch } = reader;

  const copied = (signal: AbortSignal): Promise<RangeReader | undefined> => {
    if (refuses)
      return fail(
        "unreadable",
        "This format cannot be read by ranges, and whole files are not fetched here (processor.fallback_retrieval_strategy).",
      );
    copying ??= copy(signal).catch((error: unknown) => {
      copying = undefined;
      if (!(error instanceof CopyFailed)) throw error;
      tell(error);
      return undefined;
    });
    return copying;
  };

  return {
    size,
    ...(identity === undefined ? {} : { identity }),
    ...(isFar ? { isFar } : {}),
    async read(offset, length, signal = new AbortController().signal, into) {
      const isWhole = offset === 0 && length >= size && size > readInPlace;
      const from = (isWhole ? await copied(signal) : await copying) ?? reader;
      return from.read(offset, length, signal, into);
    },
    ...(readMany ? { readMany: (ranges, signal) => readMany(ranges, signal) } : {}),
    ...(prefetch
      ? {
          prefetch: async (ranges, signal) => {
            if (copying === undefined) await prefetch(ranges, signal);
          },
        }
      : {}),
    copy: async (signal) => (await copied(signal))?.path,
    copied: async (signal) => {
      if (copying === undefined && (refuses || !(await has()))) return undefined;
      return (await copied(signal))?.path;
    },
    stream: (signal) => reader.stream(signal),
    async close() {
      await reader.close();
      await (await copying?.catch(() => undefined))?.close();
    },
  };
};
