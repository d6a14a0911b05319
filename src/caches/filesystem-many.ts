import { sep } from "node:path";
import type { Amount } from "./cache.ts";
import { removeFile } from "./filesystem-files.ts";
import type { Tree } from "./filesystem-paths.ts";
import { inParallel, walk, walkFiles } from "./filesystem-walk.ts";

const removedAtOnce = 8;

/** Selects entries of some trees. */
interface Beginning {
  /** Prefix of their file names; empty for all. */
  readonly beginning: string;
  readonly signal: AbortSignal;
}

/** Removes all entries of some trees with a file name prefix; returns the number. */
export const removeBeginning = async (
  root: string,
  trees: readonly Tree[],
  { beginning, signal }: Beginning,
): Promise<number> => {
  let removed = 0;
  await walk(root, { trees, signal }, ({ path, entries }) =>
    inParallel(
      entries.filter((file) => file.startsWith(beginning)),
      removedAtOnce,
      async (file) => {
        signal.throwIfAborted();
        if (await removeFile(`${path}${sep}${file}`)) removed++;
      },
    ),
  );
  return removed;
};

/** Number and bytes of the entries of some trees with a file name prefix. */
export const amountIn = async (
  root: string,
  trees: readonly Tree[],
  { beginning, signal }: Beginning,
): Promise<Amount> => {
  const held = { entries: 0, bytes: 0 };
  await walk(root, { trees, signal }, ({ path, entries }) =>
    walkFiles(
      { path, signal },
      entries.filter((file) => file.startsWith(beginning)),
      ({ size }) => {
        held.entries++;
        held.bytes += size;
      },
    ),
  );
  return held;
};
