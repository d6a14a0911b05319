import { sep } from "node:path";
import type { Amount } from "./cache.ts";
import { removeFile } from "./filesystem-files.ts";
import type { Tree } from "./filesystem-paths.ts";
import { inParallel, look, walk } from "./filesystem-walk.ts";

const removedAtOnce = 8;

/** Which entries of some trees are meant. */
interface Beginning {
  /** What the names of their files begin with; blank for all. */
  readonly beginning: string;
  readonly signal: AbortSignal;
}

/** Removes all entries of some trees whose files' names begin so; how many there were. */
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

/** How many entries some trees hold whose files' names begin so, and of how many bytes. */
export const amountIn = async (
  root: string,
  trees: readonly Tree[],
  { beginning, signal }: Beginning,
): Promise<Amount> => {
  const held = { entries: 0, bytes: 0 };
  await walk(root, { trees, signal }, ({ path, entries }) =>
    look(
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
