import { constants } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { isAbsent } from "./filesystem-files.ts";

/**
 * Counts what all processes together have stored in some place since it was last listed, as the
 * length of a file: one byte for each unit, appended by whoever stores something. What is removed
 * is not taken off again, so it may say too much, and is set right by a listing.
 */
export interface Ledger {
  /** Adds so many units; all there are now, or undefined where the ledger was never set right. */
  add(units: number): Promise<number | undefined>;
  /** All units; undefined where the ledger was never set right. */
  length(): Promise<number | undefined>;
  /** Says how many units a listing found that began when the length was `since`. */
  set(units: number, since: number | undefined): Promise<void>;
  /** From then on nothing is counted, and nothing is made. */
  close(): Promise<void>;
}

const opening = constants.O_RDWR | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

export const openLedger = (path: string): Ledger => {
  let held: Promise<FileHandle | undefined> | undefined;
  let isClosed = false;

  const forget = async (): Promise<void> => {
    const before = held;
    held = undefined;
    // A handle, unlike a bare descriptor, stays open until all that uses it has ended.
    await (await before)?.close();
  };

  const find = async (flags = opening): Promise<FileHandle | undefined> => {
    // What took too long to be waited for may come back after the end; nobody would close the file
    // again.
    if (isClosed) return undefined;
    held ??= open(path, flags, 0o600).catch((error: unknown) => {
      held = undefined;
      if (isAbsent(error)) return undefined;
      throw error;
    });
    return held;
  };

  const lengthOf = async (handle: FileHandle): Promise<number | undefined> => {
    const { size, nlink } = await handle.stat();
    if (nlink > 0) return size;
    // Somebody has cleared the folder.
    await forget();
    return undefined;
  };

  return {
    async add(units) {
      const handle = await find();
      if (handle === undefined) return undefined;
      if (units > 0) await handle.write(new Uint8Array(units));
      return lengthOf(handle);
    },

    async length() {
      const handle = await find();
      return handle && lengthOf(handle);
    },

    async set(units, since) {
      if (isClosed) return;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const handle = await find(opening | constants.O_CREAT);
      const now = handle && (await lengthOf(handle));
      if (now === undefined) return;
      // What others stored meanwhile may have been listed or not: too much does no harm.
      const meanwhile = since === undefined ? 0 : Math.max(0, now - since);
      await handle?.truncate(units + meanwhile);
    },

    async close() {
      isClosed = true;
      await forget();
    },
  };
};
