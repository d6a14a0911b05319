import type { RangeReader } from "../src/core/range-reader.ts";

/** The behaviour of a strict reader. */
export interface Strictness {
  /** Far more reads than any of the files needs, far less than a loop would make. */
  readonly maxReads: number;
  /** Whether a read that begins within the bytes may extend beyond the end; false. */
  readonly mayReachOver?: boolean;
}

/** Bytes as a reader that reports reads outside of them, or endless ones. */
export const strictReader = (
  bytes: Uint8Array,
  { maxReads, mayReachOver = false }: Strictness,
): RangeReader & { readonly complaints: string[] } => {
  const complaints: string[] = [];
  let reads = 0;
  return {
    complaints,
    size: bytes.length,
    async read(offset, length) {
      reads++;
      const end = mayReachOver ? offset : offset + length;
      if (!(offset >= 0 && length >= 0 && end <= bytes.length))
        complaints.push(`read ${length} bytes at ${offset} of ${bytes.length}`);
      if (reads > maxReads) throw new Error("there was no end to reading");
      // The caller must not be able to change the bytes, as with a view.
      return Uint8Array.from(bytes.subarray(offset, offset + length));
    },
    stream: () => {
      throw new Error("nothing is to be streamed");
    },
    close: async () => {},
  };
};
