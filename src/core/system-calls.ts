import { createRequire } from "node:module";
import type Koffi from "koffi";

/** Calls of Linux and its C library for which Node.js has no functions of its own. */
export interface SystemCalls {
  /**
   * Reads what the system has in memory of an open file, into all of `into` or as far as the file
   * goes, and answers how many bytes these are: `mustWait` where some would have to be fetched
   * first, `cannotTell` where that is not known of files like this one.
   */
  readNow(descriptor: number, into: Uint8Array, offset: number): number;
  /**
   * Has a thread of libuv's pool return the free memory of the C library's allocator to the system.
   */
  trim(): void;
}

/** What `readNow` answers where something would have to be fetched first. */
export const mustWait = -1;
/** What `readNow` answers where the system does not say what it has in memory of a file. */
export const cannotTell = -2;

/**
 * The calls, by the optional package koffi. Undefined where it is not installed or does not run,
 * and on all but Linux on x64 and arm64 with glibc 2.26 or later: a `FilesystemSource` then goes by
 * what it read before.
 */
export const loadSystemCalls = (): SystemCalls | undefined => {
  if (process.platform !== "linux" || !["x64", "arm64"].includes(process.arch)) return undefined;
  try {
    // What a CommonJS module exports is known from its declarations alone.
    return callsOf(createRequire(import.meta.url)("koffi") as typeof Koffi);
  } catch {
    // The package or the library is not there, or the library lacks one of the functions.
    return undefined;
  }
};

const callsOf = (koffi: typeof Koffi): SystemCalls => {
  const libc = koffi.load("libc.so.6");
  const preadv2 = libc.func(
    "int64_t preadv64v2(int file, uint64_t *parts, int count, int64_t offset, int flags)",
  );
  const mallocTrim = libc.func("int malloc_trim(size_t kept)");
  // One struct iovec: an address and a length in bytes, 64 bits each on both processors.
  const part = new BigUint64Array(new ArrayBuffer(16));
  /**
   * Returns how many bytes came, which may be fewer than there are, or what `readNow` does instead.
   */
  const readSome = (descriptor: number, into: Uint8Array, offset: number): number => {
    part[0] = koffi.address(into);
    part[1] = BigInt(into.length);
    for (;;) {
      const count = Number(preadv2(descriptor, part, 1, offset, noWait));
      if (count >= 0) return count;
      const failure = koffi.errno();
      if (failure !== interrupted) return failure === tryAgain ? mustWait : cannotTell;
    }
  };
  return {
    readNow(descriptor, into, offset) {
      let filled = 0;
      while (filled < into.length) {
        const rest = filled === 0 ? into : into.subarray(filled);
        const count = readSome(descriptor, rest, offset + filled);
        if (count < 0) return count;
        if (count === 0) break;
        filled += count;
      }
      return filled;
    },
    trim: () => mallocTrim.async(0, () => undefined),
  };
};

/** RWF_NOWAIT of preadv2(2). */
const noWait = 8;
/** EAGAIN and EINTR of errno(3). */
const tryAgain = 11;
const interrupted = 4;
