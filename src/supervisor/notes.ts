import {
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a worker is doing that it may die of. */
export interface WorkerNote {
  readonly name: string;
  readonly identifier: string;
}

/** Bytes of one note, and how many a worker may have at a time; further ones are not taken down. */
const noteBytes = 256;
const notesPerWorker = 64;
const workerBytes = noteBytes * notesPerWorker;

/** Of the identifier, which is only for people. */
const mostCharacters = 100;

/**
 * A file without a name that workers write into and the supervisor reads: what was written stays when a process
 * dies, however it dies, and writing it takes some millionths of a second.
 */
export interface NoteFile {
  /** Its descriptor, for workers to inherit. */
  readonly descriptor: number;
  /** What a worker that has ended was doing; its notes are crossed out. */
  take(worker: number): readonly WorkerNote[];
  close(): void;
}

/** Makes the file; throws where there is no place for it. */
export const openNotes = (workers: number): NoteFile => {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-notes-"));
  try {
    const descriptor = openSync(join(folder, "notes"), "w+", 0o600);
    ftruncateSync(descriptor, workers * workerBytes);
    return {
      descriptor,
      take(worker) {
        const bytes = Buffer.alloc(workerBytes);
        const at = (worker - 1) * workerBytes;
        readSync(descriptor, bytes, 0, workerBytes, at);
        writeSync(descriptor, Buffer.alloc(workerBytes), 0, workerBytes, at);
        return Array.from({ length: notesPerWorker }, (_, slot) =>
          noteIn(bytes.subarray(slot * noteBytes, (slot + 1) * noteBytes)),
        ).filter((note) => note !== undefined);
      },
      close: () => closeSync(descriptor),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** A worker's part of the file. */
export interface Notes {
  /** Takes a note; what is answered crosses it out again. */
  begin(note: WorkerNote): () => void;
}

/**
 * The part of a worker, by its number from 1, of a file that it inherited; `broken` is told once why it can no longer
 * be written.
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
      // Pictures are drawn without notes, too: only a death of this process would not be explained.
      isBroken = true;
      broken(error);
    }
  };
  return {
    begin(note) {
      const slot = free.pop();
      if (slot === undefined) return () => {};
      write(bytesOf(note), slot);
      return () => {
        write(empty, slot);
        free.push(slot);
      };
    },
  };
};

const bytesOf = ({ name, identifier }: WorkerNote): Buffer => {
  const short = identifier.slice(0, mostCharacters);
  const text = Buffer.from(JSON.stringify([name, short]));
  // What is all of characters of many bytes does not fit: the name alone does.
  const fits = text.length <= noteBytes - 1 ? text : Buffer.from(JSON.stringify([name, ""]));
  return Buffer.concat([Buffer.of(fits.length), fits]);
};

/** A note that was written whole; undefined of any other. */
const noteIn = (bytes: Buffer): WorkerNote | undefined => {
  const [length = 0] = bytes;
  if (length === 0) return undefined;
  try {
    const [name, identifier]: unknown[] = JSON.parse(bytes.toString("utf8", 1, 1 + length));
    return typeof name === "string" && typeof identifier === "string"
      ? { name, identifier }
      : undefined;
  } catch {
    return undefined;
  }
};
