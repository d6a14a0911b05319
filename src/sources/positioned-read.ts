import { read, readSync } from "node:fs";

/**
 * The bytes of an open file from `offset`, read by a thread; fewer than `length` where it ends
 * before.
 */
export const readByThread = async (
  descriptor: number,
  offset: number,
  length: number,
): Promise<Uint8Array> => {
  const buffer = room(length);
  let filled = 0;
  // A single read may come back short although more is there.
  while (filled < length) {
    const count = await readOnce(descriptor, buffer.subarray(filled), offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled === length ? buffer : buffer.subarray(0, filled);
};

/**
 * As `readByThread`, but the event loop waits for it, and the bytes go into memory that is there.
 */
export const readSyncAt = (descriptor: number, offset: number, buffer: Uint8Array): Uint8Array => {
  const { length } = buffer;
  let filled = 0;
  while (filled < length) {
    const count = readSync(descriptor, buffer, filled, length - filled, offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled === length ? buffer : buffer.subarray(0, filled);
};

/**
 * Memory that is not from the common pool, since small pieces that are kept must not keep their
 * neighbours, and not zeroed: all of it that is handed out has to be read into.
 */
export const room = (length: number): Uint8Array =>
  new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);

const readOnce = (descriptor: number, into: Uint8Array, position: number): Promise<number> =>
  new Promise((resolve, reject) =>
    read(descriptor, into, 0, into.length, position, (error, count) =>
      error ? reject(error) : resolve(count),
    ),
  );
