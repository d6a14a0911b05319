import { closeSync, ftruncateSync } from "node:fs";
import { createRequire } from "node:module";
import type Koffi from "koffi";

/** System and C library calls of Linux that Node.js does not offer. */
export interface SystemCalls {
  /**
   * Reads what the page cache has of an open file, into all of `into` or as far as the file goes,
   * and returns the number of bytes: `wouldBlock` where some would have to be read from disk,
   * `unsupported` where the file system does not report that.
   */
  readNow(descriptor: number, into: Uint8Array, offset: number): number;
  /** Has a thread of libuv's pool return the C allocator's free memory to the system. */
  trim(): void;
  /**
   * Allocates memory of so many bytes, all 0, that other processes can map if they inherit its
   * descriptor, which is returned; only pages that were written take up memory. Throws where the
   * system refuses.
   */
  allocateShared(bytes: number): number;
  /** Maps such memory until the process ends; throws where the system refuses. */
  mapShared(descriptor: number, bytes: number): ArrayBuffer;
}

/** Result of `readNow` where something would have to be read from disk. */
export const wouldBlock = -1;
/** Result of `readNow` where the file system does not report what is in the page cache. */
export const unsupported = -2;

/**
 * The calls, by the optional package koffi. Undefined where it is not installed or does not run,
 * and on anything but Linux on x64 and arm64 with glibc 2.26 or later: a `FilesystemSource` then
 * relies on what it read before.
 */
export const loadSystemCalls = (): SystemCalls | undefined => {
  if (process.platform !== "linux" || !["x64", "arm64"].includes(process.arch)) return undefined;
  try {
    // The exports of a CommonJS module are known from its declarations alone.
    return callsOf(createRequire(import.meta.url)("koffi") as typeof Koffi);
  } catch {
    // The package, the library or one of its functions is missing.
    return undefined;
  }
};

const callsOf = (koffi: typeof Koffi): SystemCalls => {
  const libc = koffi.load("libc.so.6");
  const preadv2 = libc.func(
    "int64_t preadv64v2(int file, uint64_t *parts, int count, int64_t offset, int flags)",
  );
  const mallocTrim = libc.func("int malloc_trim(size_t kept)");
  const createMemory = libc.func("int memfd_create(const char *name, unsigned int flags)");
  const map = libc.func(
    "void *mmap(void *address, size_t length, int protection, int flags, int file, int64_t offset)",
  );
  // One struct iovec: an address and a length in bytes, 64 bits each on both processors.
  const part = new BigUint64Array(new ArrayBuffer(16));
  /**
   * Returns the number of bytes read, which may be fewer than there are, or a result code of
   * `readNow`.
   */
  const readSome = (descriptor: number, into: Uint8Array, offset: number): number => {
    part[0] = koffi.address(into);
    part[1] = BigInt(into.length);
    for (;;) {
      const count = Number(preadv2(descriptor, part, 1, offset, noWait));
      if (count >= 0) return count;
      const failure = koffi.errno();
      if (failure !== interrupted) return failure === tryAgain ? wouldBlock : unsupported;
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
    allocateShared(bytes) {
      const descriptor: number = createMemory("vitrine", closeOnExec);
      if (descriptor < 0)
        throw new Error(`Memory cannot be shared among processes (error ${koffi.errno()}).`);
      try {
        ftruncateSync(descriptor, bytes);
      } catch (error) {
        closeSync(descriptor);
        throw error;
      }
      return descriptor;
    },
    mapShared(descriptor, bytes) {
      const mapped: unknown = map(null, bytes, readAndWrite, shared, descriptor, 0);
      if (koffi.address(mapped) === failed)
        throw new Error(`Shared memory cannot be mapped (error ${koffi.errno()}).`);
      return koffi.view(mapped, bytes);
    },
  };
};

/** MFD_CLOEXEC of memfd_create(2): processes inherit only descriptors that are passed to them. */
const closeOnExec = 1;
/** PROT_READ | PROT_WRITE and MAP_SHARED of mmap(2), and what it returns where it fails. */
const readAndWrite = 3;
const shared = 1;
const failed = 2n ** 64n - 1n;
/** RWF_NOWAIT of preadv2(2). */
const noWait = 8;
/** EAGAIN and EINTR of errno(3). */
const tryAgain = 11;
const interrupted = 4;
