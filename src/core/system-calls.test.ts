import { spawnSync } from "node:child_process";
import { closeSync, fsyncSync, openSync, readSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import koffi from "koffi";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { loadSystemCalls, type SystemCalls, unsupported, wouldBlock } from "./system-calls.ts";

const calls = loadSystemCalls();
const skipped = calls ? "" : " (skipped: koffi cannot be loaded, or this is not Linux with glibc)";

/** ext2 to ext4, XFS, Btrfs: file systems that report what they have in the page cache. */
const tells = [0xef53, 0x58465342, 0x9123683e].includes(statfsSync(tmpdir()).type);
const untold = tells ? "" : " (skipped: the temporary folder is not on ext4, XFS or Btrfs)";

const bytes = Uint8Array.from({ length: 3_000_000 }, (_, at) => at % 251);

const opened = async (): Promise<number> => {
  const file = join(await temporaryFolder(), "file");
  writeFileSync(file, bytes);
  return openedAt(file, "r+");
};

const openedAt = (path: string, flags: string): number => {
  const descriptor = openSync(path, flags);
  onTestFinished(() => closeSync(descriptor));
  return descriptor;
};

/** Writes a file to disk and evicts it from the page cache. */
const forget = (descriptor: number): void => {
  fsyncSync(descriptor);
  const dontNeed = 4;
  const advise = koffi
    .load("libc.so.6")
    .func("int posix_fadvise64(int file, int64_t offset, int64_t length, int advice)");
  expect(advise(descriptor, 0, 0, dontNeed)).toBe(0);
};

describe.skipIf(calls === undefined)(`system calls${skipped}`, () => {
  const { readNow, trim, allocateShared, mapShared } = calls as SystemCalls;

  it.skipIf(!tells)(`read into memory of every kind, and nothing around it${untold}`, async () => {
    const descriptor = await opened();
    const kinds: readonly Uint8Array[] = [
      new Uint8Array(8),
      new Uint8Array(64).subarray(3, 11),
      // As from Buffer.allocUnsafe, but not from Node's own pool, which holds Node's constants.
      Buffer.from(new ArrayBuffer(8_192), 24, 8),
      new Uint8Array(new SharedArrayBuffer(32), 8, 8),
      new Uint8Array(new WebAssembly.Memory({ initial: 1 }).buffer, 1_000, 8),
      new Uint8Array(300_000),
    ];
    for (const into of kinds) {
      const whole = new Uint8Array(into.buffer);
      whole.fill(255);
      expect(readNow(descriptor, into, 1_005)).toBe(into.length);
      expect(Buffer.compare(into, bytes.subarray(1_005, 1_005 + into.length))).toBe(0);
      expect(whole.subarray(0, into.byteOffset).every((byte) => byte === 255)).toBe(true);
      expect(whole.subarray(into.byteOffset + into.length).every((byte) => byte === 255)).toBe(
        true,
      );
    }
  });

  it.skipIf(!tells)(`read up to a file's end${untold}`, async () => {
    const descriptor = await opened();
    const into = new Uint8Array(100);
    expect(readNow(descriptor, into, bytes.length - 30)).toBe(30);
    expect(into.subarray(0, 30)).toEqual(bytes.slice(-30));
    expect(readNow(descriptor, into, bytes.length)).toBe(0);
    expect(readNow(descriptor, into, 5_000_000_000)).toBe(0);
  });

  it.skipIf(!tells)(`do not wait for what is not in memory${untold}`, async () => {
    const descriptor = await opened();
    const into = new Uint8Array(1_000);
    expect(readNow(descriptor, into, 2_000_000)).toBe(1_000);
    // The call starts the read on newer kernels, and a fast disk may finish before it returns; and
    // pages that the kernel has just handled on another processor are not evicted.
    let answer = 1_000;
    for (let attempt = 0; attempt < 300 && answer === 1_000; attempt++) {
      if (attempt > 0) await setTimeout(10);
      forget(descriptor);
      answer = readNow(descriptor, into, 10_000 * (attempt % 299));
    }
    expect(answer).toBe(wouldBlock);
    readSync(descriptor, into, 0, 1_000, 2_000_000);
    expect(readNow(descriptor, into, 2_000_000)).toBe(1_000);
  });

  it("report a file system without support, or a closed file", () => {
    expect(readNow(openedAt("/proc/self/status", "r"), new Uint8Array(10), 0)).toBe(unsupported);
    expect(readNow(999_999, new Uint8Array(10), 0)).toBe(unsupported);
  });

  it("share memory with processes that inherit it", () => {
    const descriptor = allocateShared(1_048_576);
    onTestFinished(() => closeSync(descriptor));
    const [one, other] = [mapShared(descriptor, 1_048_576), mapShared(descriptor, 1_048_576)];
    const numbers = new Int32Array(one);
    expect([one.byteLength, numbers[1_000]]).toEqual([1_048_576, 0]);
    expect(Atomics.compareExchange(numbers, 1_000, 0, 5)).toBe(0);
    expect(new Int32Array(other)[1_000]).toBe(5);
    const script = "require('node:fs').writeSync(3, Buffer.of(7), 0, 1, 4000)";
    const { status } = spawnSync(process.execPath, ["-e", script], {
      stdio: ["ignore", "inherit", "inherit", descriptor],
    });
    expect([status, numbers[1_000]]).toEqual([0, 7]);
    expect(() => mapShared(999_999, 4_096)).toThrow(/cannot be mapped/);
  });

  it("release memory in the background", () => {
    expect(trim()).toBeUndefined();
  });
});
