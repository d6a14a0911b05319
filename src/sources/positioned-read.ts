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
  // A single read may return less although more is there.
  while (filled < length) {
    const count = await readOnce(descriptor, buffer.subarray(filled), offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled === length ? buffer : buffer.subarray(0, filled);
};

/** As `readByThread`, but synchronously and into an existing buffer. */
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
 * Memory outside the common pool, since small cached pieces must not retain their neighbours, and
 * not zeroed: every byte that is handed out has to be read into.
 */
export const room = (length: number): Uint8Array =>
  new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);

const readOnce = (descriptor: number, into: Uint8Array, position: number): Promise<number> =>
  new Promise((resolve, reject) =>
    read(descriptor, into, 0, into.length, position, (error, count) =>
      error ? reject(error) : resolve(count),
    ),
  );
