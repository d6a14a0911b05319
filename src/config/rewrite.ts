import { fail } from "../core/errors.ts";
import { type Chain, editChain, readChain } from "./chain.ts";
import { writeWhole } from "./write.ts";

/**
 * Writes new values of keys to the current versions of a file and those it extends; returns the
 * result. Throws `internal` where the file cannot be read, or is not UTF-8.
 */
export const rewriteChain = async (
  path: string,
  values: ReadonlyMap<string, string>,
): Promise<Chain> => {
  const chain = await readChain(path);
  if (chain.files.length === 0)
    fail("internal", "Expected a configuration file to write to, but it cannot be read.");
  for (const { path: file, text } of editChain(chain, values)) await writeWhole(file, text);
  return readChain(path);
};
