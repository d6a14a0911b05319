import { fail } from "../core/errors.ts";
import type { ListedObject, Listing, Source } from "../core/source.ts";

/** Entries requested at a time: the most that a listing returns. */
const perPart = 1_000;

/** Maximum depth of folders, in case a listing never ends. */
const maxDepth = 100;

/** Where to walk. */
export interface WalkOptions {
  /** The folder to begin with, as for `Source.list`; "" for everything. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /**
   * Called for a folder that cannot be listed; returns whether to skip it. Default: never.
   */
  readonly skips?: (folder: string, error: unknown) => boolean;
}

/**
 * All objects in a folder and its subfolders, one folder after the other, in the order of the
 * source. Its memory is bounded by the depth and the number of folders in a part. Throws
 * `unimplemented` if the source cannot be listed, and the failures of `Source.list`.
 */
export async function* walkSource(
  source: Source,
  { folder, ...options }: WalkOptions,
  depth = 0,
): AsyncGenerator<ListedObject> {
  if (depth > maxDepth)
    fail(
      "upstream",
      `The folder '${folder}' is nested more than ${maxDepth} levels deep. Move it nearer to the top.`,
    );
  const { signal, skips } = options;
  let after: string | undefined;
  do {
    signal.throwIfAborted();
    let part: Listing | undefined;
    try {
      part = await source.list?.(folder, { after, max: perPart, signal });
    } catch (error) {
      signal.throwIfAborted();
      if (skips?.(folder, error)) return;
      throw error;
    }
    if (part === undefined) return notListed();
    for (const entry of part.entries)
      if (entry.kind === "object") yield entry;
      else yield* walkSource(source, { ...options, folder: entry.path }, depth + 1);
    after = part.next;
  } while (after !== undefined);
}

const notListed = (): never =>
  fail(
    "unimplemented",
    "The images of this source cannot be listed. Listing needs FilesystemSource with a folder as prefix, S3Source or AzureStorageSource, with BasicLookupStrategy and without source.rules.",
  );
