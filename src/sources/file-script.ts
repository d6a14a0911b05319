import { realpath } from "node:fs/promises";
import { isAbsolute, sep } from "node:path";
import type { RequestContext } from "../core/context.ts";
import type { AnswerCheck } from "../core/delegate.ts";
import { textOrNone } from "../delegate/answers.ts";
import { refuseFile } from "./file-failures.ts";
import { noImage, sessionOf } from "./script.ts";

/** Results of `filesystemsource_pathname`: null where there is no such image. */
const absolutePath: AnswerCheck<string | null> = {
  expected: "an absolute path, or null",
  read(answer) {
    const path = textOrNone.read(answer);
    return path === undefined || path === null || isAbsolute(path) ? path : undefined;
  },
};

/**
 * The real path of the file that the delegate names for an identifier. `allowed` are the folders it
 * must lie in once symbolic links are resolved; any folder where there are none. Throws `missing`
 * for null, for paths outside these folders, and for paths with a part `..`, which usually comes
 * from an identifier; `internal` for other invalid results.
 */
export const locateByScript = async (
  identifier: string,
  context: RequestContext,
  allowed: readonly string[],
): Promise<string> => {
  const path = await sessionOf(context).call("filesystemsource_pathname", absolutePath);
  if (path === null || path.includes("\0") || path.split(/[/\\]/).includes(".."))
    return noImage(identifier);
  const real = await realpath(path).catch((cause) => refuseFile(identifier, cause));
  if (allowed.length === 0) return real;
  for (const folder of allowed) {
    // A missing folder has no files.
    const root = await realpath(folder).catch(() => undefined);
    if (root !== undefined && real.startsWith(root.endsWith(sep) ? root : root + sep)) return real;
  }
  return noImage(identifier);
};
