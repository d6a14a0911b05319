import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import type { RangeReader } from "../src/core/range-reader.ts";

/** Bytes in memory as a reader; throws for reads outside of them. */
export const memoryReader = (bytes: Uint8Array): RangeReader => ({
  size: bytes.length,
  async read(offset, length) {
    if (!(offset >= 0 && length >= 0 && offset <= bytes.length))
      throw new RangeError(`Expected a read within ${bytes.length} bytes, not ${offset}+${length}`);
    return bytes.subarray(offset, offset + length);
  },
  stream: () => Readable.from([bytes]),
  close: async () => {},
});

/** A whole file as a reader that also knows its path. */
export const fileReaderOf = async (path: string): Promise<RangeReader> => ({
  ...memoryReader(await readFile(path)),
  path,
});
