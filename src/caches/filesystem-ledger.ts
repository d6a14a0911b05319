import { constants } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { isAbsent } from "./filesystem-files.ts";

/**
 * Counts what all processes together have stored in a place since it was last listed, as the length
 * of a file: one byte per unit, appended by each writer. Removals are not subtracted, so it may be
 * too high, and a listing corrects it.
 */
export interface Ledger {
  /** Adds so many units; returns the total, or undefined where the ledger was never corrected. */
  add(units: number): Promise<number | undefined>;
  /** The total; undefined where the ledger was never corrected. */
  length(): Promise<number | undefined>;
  /** Sets the number of units found by a listing that began when the length was `since`. */
  set(units: number, since: number | undefined): Promise<void>;
  /** Stops counting and creating files. */
  close(): Promise<void>;
}

const opening = constants.O_RDWR | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

export const openLedger = (path: string): Ledger => {
  let held: Promise<FileHandle | undefined> | undefined;
  let isClosed = false;

  const forget = async (): Promise<void> => {
    const before = held;
    held = undefined;
    // Unlike a bare descriptor, a handle stays open until all its users have ended.
    await (await before)?.close();
  };

  const find = async (flags = opening): Promise<FileHandle | undefined> => {
    // An operation that exceeded its deadline may finish after closing; nobody would close the file
    // then.
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
    // The folder was cleared.
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
      // Concurrent writes may have been listed or not: too high a count does no harm.
      const meanwhile = since === undefined ? 0 : Math.max(0, now - since);
      await handle?.truncate(units + meanwhile);
    },

    async close() {
      isClosed = true;
      await forget();
    },
  };
};
