import { createReadStream } from "node:fs";
import { access, constants, stat } from "node:fs/promises";
import { type RangeReader, SourceChanged } from "../core/range-reader.ts";
import { refuseOpening } from "./file-failures.ts";
import { type OpenFile, OpenFiles, versionOf } from "./open-files.ts";

/** A local file as it was found. */
export interface FoundFile {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** As returned by `versionOf`. */
  readonly version: string;
}

/**
 * Reads a local file by ranges. The file is leased on the first read, so codecs that open the path
 * themselves use no descriptor; `close` must be called when done.
 */
export const fileReader = (
  { path, size, version }: FoundFile,
  files: Pick<OpenFiles, "lease">,
): RangeReader => {
  let leasing: Promise<OpenFile> | undefined;
  let handedOut = false;
  return {
    get path() {
      handedOut = true;
      return path;
    },
    size,
    identity: `file ${version} ${path}`,
    async read(offset, length, signal, into) {
      signal?.throwIfAborted();
      leasing ??= files.lease(path, version).catch(refuseOpening);
      const file = await leasing;
      const wanted = Math.max(0, Math.min(length, size - offset));
      const bytes = await file.read(offset, wanted, wanted === length ? into : undefined);
      if (bytes.length < wanted || !(await file.unchanged())) throw new SourceChanged();
      return bytes;
    },
    stream: (signal) => createReadStream(path, signal ? { signal } : {}),
    async check() {
      if (!handedOut) return;
      const found = await stat(path, { bigint: true }).catch((cause) => {
        throw new SourceChanged(cause);
      });
      if (versionOf(found) !== version) throw new SourceChanged();
      await access(path, constants.R_OK).catch(refuseOpening);
    },
    async close() {
      const file = await leasing?.catch(() => undefined);
      leasing = undefined;
      file?.release();
    },
  };
};

/** A reader of a single file outside any source; closing it closes the file. */
export const singleFile = async (path: string): Promise<RangeReader> => {
  const found = await stat(path, { bigint: true });
  const files = new OpenFiles(() => ({ max: 1, idleMs: 1_000 }));
  const file = { path, size: Number(found.size), version: versionOf(found) };
  const reader = fileReader(file, files);
  return {
    ...reader,
    path,
    async close() {
      await reader.close();
      files.close();
    },
  };
};
