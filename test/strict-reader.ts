import type { RangeReader } from "../src/core/range-reader.ts";

/** How a strict reader is read. */
export interface Strictness {
  /** Reads that are far more than any of the files needs, far less than a loop would take. */
  readonly maxReads: number;
  /** Whether a read that begins within the bytes may ask for more than there is; false. */
  readonly mayReachOver?: boolean;
}

/** Bytes as a reader that tells when someone reads outside of them, or without end. */
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
      // What is read must not change what is there, as a view of it could.
      return Uint8Array.from(bytes.subarray(offset, offset + length));
    },
    stream: () => {
      throw new Error("nothing is to be streamed");
    },
    close: async () => {},
  };
};
