import { fail } from "../core/errors.ts";

const absent = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "EINVAL", "EISDIR"]);

/** Refuses a file as `missing`, `denied` or `upstream`, by what the system said of it. */
export const refuseFile = (identifier: string, cause: unknown): never => {
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  if (absent.has(code)) return fail("missing", `There is no image '${identifier}'.`, cause);
  if (code === "EACCES" || code === "EPERM")
    return fail("denied", `The image '${identifier}' may not be read.`, cause);
  return fail("upstream", `The storage of '${identifier}' did not answer.`, cause);
};
