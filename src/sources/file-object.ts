import type { SourceObject } from "../core/source.ts";
import { type FoundFile, fileReader } from "./file-reader.ts";
import type { OpenFiles } from "./open-files.ts";

/** A local file as a stored object; `modified` is in milliseconds since 1970. */
export const fileObject = (
  file: FoundFile,
  modified: number,
  files: Pick<OpenFiles, "lease" | "sync">,
): SourceObject => ({
  lastModified: new Date(modified),
  version: file.version,
  size: file.size,
  place: file.path,
  local: true,
  open: async () => fileReader(file, files),
  sync: (work) => files.sync(file, work),
});
