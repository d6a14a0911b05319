import { fail } from "../core/errors.ts";
import type { ListedObject, Source } from "../core/source.ts";

/** Entries requested at a time: the most that a listing returns. */
const perPart = 1_000;

/** Maximum depth of folders, against listings that never end. */
const maxDepth = 100;

/** Where to walk. */
export interface WalkOptions {
  /** The folder to begin with, as for `Source.list`; "" for everything. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/**
 * All objects in a folder and the folders in it, one folder after the other, in the order of the
 * source; its memory is bounded by the depth and the folders of a part. Throws `unimplemented` where
 * the source cannot list, and what `Source.list` throws.
 */
export async function* walkSource(
  source: Source,
  { folder, signal }: WalkOptions,
  depth = 0,
): AsyncGenerator<ListedObject> {
  if (depth > maxDepth)
    fail("upstream", `The folder '${folder}' is more than ${maxDepth} folders deep.`);
  let after: string | undefined;
  do {
    signal.throwIfAborted();
    const part = await source.list?.(folder, { after, max: perPart, signal });
    if (part === undefined) return notListed();
    for (const entry of part.entries)
      if (entry.kind === "object") yield entry;
      else yield* walkSource(source, { folder: entry.path, signal }, depth + 1);
    after = part.next;
  } while (after !== undefined);
}

const notListed = (): never =>
  fail(
    "unimplemented",
    "The images of this source cannot be listed. Listing needs FilesystemSource with a folder as prefix, S3Source or AzureStorageSource, with BasicLookupStrategy and without source.rules.",
  );
