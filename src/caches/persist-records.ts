import { crc32 } from "node:zlib";
import { seal, unseal } from "./envelope.ts";
import type { MemoryEntry } from "./memory.ts";

/** An entry in a file, with its name. */
export interface NamedRecord extends MemoryEntry {
  readonly name: string;
}

/** First bytes of a file of records; each layout has its own number. */
export const opening = Buffer.from("VTRHEAP1");

const headBytes = 20;

/**
 * A record, as buffers to be written one after the other: its head, the name and the sealed entry.
 * The head is the length of the name (uint32), the length of the sealed entry (uint32), the
 * milliseconds since 1970 of its last use (float64, 0 where unknown), and the checksum of all these
 * (uint32). Numbers are big-endian.
 */
export const recordOf = ({ name, entry, usedAt }: NamedRecord): readonly Uint8Array[] => {
  const sealed = seal(name, entry);
  const named = Buffer.from(name);
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt32BE(named.length, 0);
  head.writeUInt32BE(sealed.byteLength, 4);
  head.writeDoubleBE(usedAt?.getTime() ?? 0, 8);
  head.writeUInt32BE(crc32(head.subarray(0, 16)), 16);
  return [head, named, sealed];
};

/** Longer than any name, and than can be written at once. */
const maxNameBytes = 1_024;
const maxSealedBytes = 2 ** 31 - 1;

/**
 * The records of a file. Corrupt records are skipped; reading ends where the next one cannot be
 * located. `lost` is called for both.
 */
export async function* recordsIn(
  chunks: AsyncIterable<Uint8Array>,
  lost: () => void,
): AsyncGenerator<NamedRecord> {
  const { take, isOver } = bytesOf(chunks);
  if (!(await take(opening.length))?.equals(opening)) return lost();
  while (!(await isOver())) {
    const head = headOf(await take(headBytes));
    const name = head && (await take(head.nameBytes))?.toString();
    const sealed = head && (await take(head.sealedBytes));
    if (name === undefined || sealed === undefined) return lost();
    const entry = unseal(name, sealed);
    if (entry === undefined) lost();
    else yield { name, entry, ...(head?.usedAt ? { usedAt: head.usedAt } : {}) };
  }
}

interface Head {
  readonly nameBytes: number;
  readonly sealedBytes: number;
  readonly usedAt: Date | undefined;
}

const headOf = (bytes: Buffer | undefined): Head | undefined => {
  if (bytes === undefined || bytes.readUInt32BE(16) !== crc32(bytes.subarray(0, 16)))
    return undefined;
  const usedMs = bytes.readDoubleBE(8);
  const head = {
    nameBytes: bytes.readUInt32BE(0),
    sealedBytes: bytes.readUInt32BE(4),
    usedAt: usedMs > 0 ? new Date(usedMs) : undefined,
  };
  return head.nameBytes <= maxNameBytes && head.sealedBytes <= maxSealedBytes ? head : undefined;
};

/** Takes bytes off a stream on demand; undefined where fewer are left. */
const bytesOf = (
  chunks: AsyncIterable<Uint8Array>,
): {
  readonly take: (length: number) => Promise<Buffer | undefined>;
  readonly isOver: () => Promise<boolean>;
} => {
  const source = chunks[Symbol.asyncIterator]();
  let chunk: Uint8Array = new Uint8Array();
  let at = 0;
  const isOver = async (): Promise<boolean> => {
    while (at === chunk.length) {
      const { done, value } = await source.next();
      if (done) return true;
      [chunk, at] = [value, 0];
    }
    return false;
  };
  return {
    isOver,
    async take(length) {
      const parts: Uint8Array[] = [];
      let missing = length;
      // By the bytes received, not by a claimed length, which may be anything.
      while (missing > 0) {
        if (await isOver()) return undefined;
        const part = chunk.subarray(at, at + missing);
        at += part.length;
        missing -= part.length;
        parts.push(part);
      }
      return copyOf(parts, length);
    },
  };
};

/** Not from the common pool, and not a view of a chunk, which would retain its neighbours. */
const copyOf = (parts: readonly Uint8Array[], length: number): Buffer => {
  const all = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};
