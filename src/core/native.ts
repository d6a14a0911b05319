import { createRequire } from "node:module";

/**
 * What `native/src` offers on the platforms that it is compiled for. Each works on the calling thread
 * and answers how many bytes it wrote, or -1 where its input is damaged or `into` is too small.
 */
export interface Native {
  /**
   * Reads what the system has in memory of an open file, into all of `into` or as far as the file goes;
   * -1 where some of it would have to be fetched first, -2 where that cannot be told of this file.
   */
  readNow(descriptor: number, into: Uint8Array, offset: number): number;
  /** Lowers the priority (Linux' nice values, 0 to 19) of the threads of libuv's pool, of which there are so many. */
  lowerPool(threads: number, niceness: number): void;
  /** Has a thread of libuv's pool give back to the system what the C library's allocator keeps of memory that is free. */
  giveBack(): void;
  /** Whether an open file has a size in bytes, was changed at a second and nanosecond, and has an inode, in this order. */
  isAsFound(descriptor: number, state: BigInt64Array): boolean;
}

/** The native code, where there is some for this machine; whoever has none does without. */
export const loadNative = (): Native | undefined => {
  const file = new URL(`../../native/${process.platform}-${process.arch}.node`, import.meta.url);
  try {
    // What a module exports is known from its sources alone.
    return createRequire(import.meta.url)(file.pathname) as Native;
  } catch {
    // There is none for this platform, or its C library is another one.
    return undefined;
  }
};
