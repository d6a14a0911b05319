import { sep } from "node:path";
import type { Amount } from "./cache.ts";
import { removeFile } from "./filesystem-files.ts";
import type { Tree } from "./filesystem-paths.ts";
import { inParallel, look, walk } from "./filesystem-walk.ts";

const removedAtOnce = 8;

/** Removes all entries of some trees whose files' names begin so; how many there were. */
export const removeBeginning = async (
  root: string,
  trees: readonly Tree[],
  { beginning, signal }: { readonly beginning: string; readonly signal: AbortSignal },
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

/** How many entries some trees hold, and of how many bytes. */
export const amountIn = async (
  root: string,
  trees: readonly Tree[],
  signal: AbortSignal,
): Promise<Amount> => {
  const held = { entries: 0, bytes: 0 };
  await walk(root, { trees, signal }, ({ path, entries }) =>
    look({ path, signal }, entries, ({ size }) => {
      held.entries++;
      held.bytes += size;
    }),
  );
  return held;
};
