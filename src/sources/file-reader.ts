import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { RangeReader } from "../core/range-reader.ts";

/**
 * Reads a local file by ranges. The file is opened at the first read, so codecs that open the path
 * themselves cost no descriptor; `close` must be called when done.
 */
export const fileReader = (path: string, size: number): RangeReader => {
  let opening: Promise<FileHandle> | undefined;
  return {
    path,
    size,
    async read(offset, length, signal) {
      signal?.throwIfAborted();
      opening ??= open(path, "r");
      const file = await opening;
      const wanted = Math.max(0, Math.min(length, size - offset));
      const buffer = Buffer.allocUnsafe(wanted);
      let filled = 0;
      // A single read may come back short although more is there.
      while (filled < wanted) {
        const { bytesRead } = await file.read(buffer, filled, wanted - filled, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    },
    stream: (signal) => createReadStream(path, signal ? { signal } : {}),
    async close() {
      const file = await opening?.catch(() => undefined);
      opening = undefined;
      await file?.close();
    },
  };
};
