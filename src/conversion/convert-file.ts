import { ServerError } from "../core/errors.ts";
import type { FormatName } from "../core/formats.ts";
import { factsOf } from "../formats/registry.ts";
import { FileExists, writeAtomically } from "./atomic-file.ts";
import { type Conversion, type Converted, convert } from "./conversion.ts";
import { isOfSource, sourceFailureText } from "./failure-report.ts";

/** A file to convert, and how; plain data, to be sent to another process. */
export interface ConvertJob
  extends Omit<Conversion, "config" | "onProgress" | "findReduced" | "open"> {
  readonly to: string;
  /** Whether to replace a file at `to`. */
  readonly force: boolean;
}

/** Converts a file atomically; throws what `failureText` explains. */
export const convertFile = (
  { to, force, ...conversion }: ConvertJob,
  how: Pick<Conversion, "config" | "onProgress" | "findReduced" | "open">,
  signal: AbortSignal,
): Promise<Converted> =>
  writeAtomically(to, { replace: force }, (output) =>
    convert({ ...conversion, ...how }, output, signal),
  );

/** The result for people. */
export const summaryOf = (
  { from, size, bytes, pages }: Converted,
  { format, page = 1 }: Pick<ConvertJob, "format" | "page">,
): string => {
  const left = pages > 1 ? `, page ${page} of ${pages}` : "";
  return `${size.width} x ${size.height}, ${resolveName(from)} to ${resolveName(format)}${left}, ${bytes} bytes`;
};

const resolveName = (format: FormatName): string => factsOf(format).name;

/** Why a file could not be converted, for people; undefined for an internal error. */
export const failureText = (
  error: unknown,
  { from, to }: Pick<ConvertJob, "from" | "to">,
): string | undefined => {
  if (error instanceof FileExists) return `${to}: the file exists by now; nothing was written`;
  if (!(error instanceof Error)) return undefined;
  // libvips writes files, too; a full disk is then the cause of a rendering error.
  const full = codeOf(error.cause) === "ENOSPC" ? "ENOSPC" : undefined;
  if (error instanceof ServerError && full === undefined)
    return `${from}: ${isOfSource(error) ? sourceFailureText(error) : error.message}`;
  const code = full ?? codeOf(error);
  if (code === undefined) return undefined;
  return `${to}: ${diskProblem(code) ?? error.message}; nothing was written`;
};

/** Why a file cannot be written, by the code of the error; undefined for unusual ones. */
export const diskProblem = (code: string | undefined): string | undefined =>
  code === undefined ? undefined : reasons[code];

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "there is no room on the disk (ENOSPC)",
  EDQUOT: "there is no room left for this user (EDQUOT)",
  EFBIG: "the file is larger than files may be there (EFBIG)",
  ENOENT: "there is no such folder (ENOENT)",
  EACCES: "writing there is not allowed (EACCES)",
  EROFS: "nothing can be written there (EROFS)",
};
