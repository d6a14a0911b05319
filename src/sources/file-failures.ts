import { fail, ServerError } from "../core/errors.ts";
import { noPermission } from "../core/no-permission.ts";
import { SourceChanged } from "../core/range-reader.ts";

const absent = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "EINVAL", "EISDIR"]);
const forbidden = new Set(["EACCES", "EPERM"]);

const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? "";

/** The failure for a system error code when a file or folder cannot be found. */
export const failureOf = (cause: unknown): "missing" | "denied" | "upstream" => {
  const code = codeOf(cause);
  if (absent.has(code)) return "missing";
  return forbidden.has(code) ? "denied" : "upstream";
};

/**
 * Throws `missing`, `denied` or `upstream` for a file that cannot be found, by the system's error
 * code.
 */
export const refuseFile = (identifier: string, cause: unknown): never => {
  const failure = failureOf(cause);
  if (failure === "missing") return fail(failure, `There is no image '${identifier}'.`, cause);
  if (failure === "denied") return fail(failure, noPermission(identifier), cause);
  return fail(failure, `The storage of '${identifier}' did not answer.`, cause);
};

/**
 * Throws for a file that was found and cannot be opened: `denied` where the server lacks
 * permission, `SourceChanged` where the file is gone or its handle is stale. The server's own
 * errors, such as too many open files, are rethrown.
 */
export const refuseOpening = (cause: unknown): never => {
  if (cause instanceof ServerError) throw cause;
  const code = codeOf(cause);
  if (forbidden.has(code))
    return fail(
      "denied",
      "The server has no permission to read the file of this image. The system's administrator can grant it.",
      cause,
    );
  if (absent.has(code) || code === "ESTALE") throw new SourceChanged(cause);
  throw cause;
};
