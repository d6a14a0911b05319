import { closeSync, ftruncateSync, readSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { openNameless } from "../core/nameless-file.ts";

/** Work of a worker that may crash it. */
export interface WorkerNote {
  readonly name: string;
  readonly identifier: string;
}

/** A note of a dead worker. */
export interface FoundNote extends WorkerNote {
  /** Nothing else was running beside it. */
  readonly isAlone: boolean;
  /** It ran on the event loop, then or shortly before. */
  readonly isGlance: boolean;
}

/** Bytes of one note, and maximum number of notes per worker; further ones are dropped. */
const noteBytes = 256;
const notesPerWorker = 64;

/** Behind those, each worker has a slot for work on the event loop. */
const glanceSlot = notesPerWorker;
const workerBytes = noteBytes * (notesPerWorker + 1);

/** Maximum bytes of the identifier, which is only for people. */
const maxCharacters = 100;

/** Minimum milliseconds for which a glance stays noted, so that many cost one write. */
const glanceMs = 250;

/**
 * An unnamed file that workers write and the supervisor reads: what was written stays when a
 * process dies, however it dies, and writing takes microseconds.
 */
export interface NoteFile {
  /** Its descriptor, for workers to inherit. */
  readonly descriptor: number;
  /** What a dead worker was doing; its notes are removed. */
  take(worker: number): readonly FoundNote[];
  close(): void;
}

/**
 * Creates the file, in memory where there is a folder for that; throws where no folder accepts it.
 */
export const openNotes = (
  workers: number,
  folders: readonly string[] = ["/dev/shm", tmpdir()],
): NoteFile => {
  const descriptor = openNameless("vitrine-notes-", folders);
  ftruncateSync(descriptor, workers * workerBytes);
  return {
    descriptor,
    take(worker) {
      const bytes = Buffer.alloc(workerBytes);
      const at = (worker - 1) * workerBytes;
      readSync(descriptor, bytes, 0, workerBytes, at);
      writeSync(descriptor, Buffer.alloc(workerBytes), 0, workerBytes, at);
      return Array.from({ length: notesPerWorker + 1 }, (_, slot) =>
        noteIn(bytes.subarray(slot * noteBytes, (slot + 1) * noteBytes), slot === glanceSlot),
      ).filter((note) => note !== undefined);
    },
    close: () => closeSync(descriptor),
  };
};

/** A worker's part of the file. */
export interface Notes {
  /** Writes a note; the returned function removes it. */
  begin(note: WorkerNote, how?: { readonly alone: boolean }): () => void;
  /**
   * Notes work on the event loop until the next call, or shortly after; the same object again costs
   * nothing.
   */
  glance(note: WorkerNote): void;
}

/**
 * The part of a worker, by its number from 1, of a file that it inherited; `broken` is called once
 * with the reason when it can no longer be written.
 */
export const notesOf = (
  descriptor: number,
  worker: number,
  broken: (error: unknown) => void,
): Notes => {
  const free = Array.from({ length: notesPerWorker }, (_, slot) => notesPerWorker - 1 - slot);
  const empty = Buffer.alloc(1);
  let isBroken = false;
  const write = (bytes: Buffer, slot: number): void => {
    if (isBroken) return;
    try {
      writeSync(descriptor, bytes, 0, bytes.length, (worker - 1) * workerBytes + slot * noteBytes);
    } catch (error) {
      // Images are rendered without notes, too: only a crash of this process could not be
      // explained.
      isBroken = true;
      broken(error);
    }
  };
  const glances = new WeakMap<WorkerNote, Buffer>();
  const glanceBytes = (note: WorkerNote): Buffer => {
    const bytes = glances.get(note) ?? bytesOf(note, false);
    glances.set(note, bytes);
    return bytes;
  };
  let glanced: WorkerNote | undefined;
  let isRecent = false;
  let isAging = false;
  const forgetGlance = (): void => {
    if (glanced === undefined) return;
    glanced = undefined;
    write(empty, glanceSlot);
  };
  const age = (): void => {
    if (!isRecent) forgetGlance();
    isRecent = false;
    isAging = glanced !== undefined;
    if (isAging) setTimeout(age, glanceMs).unref();
  };
  return {
    begin(note, { alone } = { alone: false }) {
      if (alone) forgetGlance();
      const slot = free.pop();
      if (slot === undefined) return () => {};
      write(bytesOf(note, alone), slot);
      return () => {
        write(empty, slot);
        free.push(slot);
      };
    },

    glance(note) {
      isRecent = true;
      if (note === glanced) return;
      glanced = note;
      if (!isAging) setTimeout(age, glanceMs).unref();
      isAging = true;
      write(glanceBytes(note), glanceSlot);
    },
  };
};

const bytesOf = ({ name, identifier }: WorkerNote, alone: boolean): Buffer => {
  const short = identifier.slice(0, maxCharacters);
  const text = Buffer.from(JSON.stringify([name, short, alone]));
  // An identifier of multi-byte characters may not fit: then the hash alone does.
  const fits = text.length <= noteBytes - 1 ? text : Buffer.from(JSON.stringify([name, "", alone]));
  return Buffer.concat([Buffer.of(fits.length), fits]);
};

/** A complete note; undefined for any other. */
const noteIn = (bytes: Buffer, isGlance: boolean): FoundNote | undefined => {
  const [length = 0] = bytes;
  if (length === 0) return undefined;
  try {
    const [name, identifier, alone]: unknown[] = JSON.parse(bytes.toString("utf8", 1, 1 + length));
    return typeof name === "string" && typeof identifier === "string"
      ? { name, identifier, isAlone: alone === true, isGlance }
      : undefined;
  } catch {
    return undefined;
  }
};
