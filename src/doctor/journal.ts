import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { fail } from "../core/errors.ts";
import { productVersion } from "../core/product.ts";
import type { ObjectFacts } from "./facts.ts";
import { lockJournal, type UnlockJournal } from "./journal-lock.ts";

/** The collection that a journal belongs to. */
export interface JournalSubject {
  /** Identifies the collection, such as the path of a folder. */
  readonly collection: string;
}

/** A line of a journal. */
export interface JournalEntry extends ObjectFacts {
  /** Whether only the structure was read. */
  readonly quick: boolean;
}

/** The position of an entry in the journal's file, in bytes. */
export type EntryPlace = number;

/** Version of the entries; journals of other versions are replaced. */
const journalFormat = 1;

/** Maximum length of an entry in bytes: identifier, reason and thumbnail are bounded. */
const maxEntry = 65_536;

/** Bytes of a first read; most entries are shorter. */
const usualEntry = 4_096;

/**
 * The results so far, a line of JSON per object. Each is appended as soon as it is known, so an
 * interrupted run loses at most the line that was being written. Takes about fifty bytes of memory
 * per entry.
 */
export class Journal {
  readonly #file: FileHandle;
  readonly #unlock: UnlockJournal;
  readonly #places: Map<string, EntryPlace>;
  #end: number;
  /** Settles when all entries so far are written, which must be in the order of their places. */
  #written: Promise<void> = Promise.resolve();

  private constructor(
    file: FileHandle,
    unlock: UnlockJournal,
    { places, end }: { readonly places: Map<string, EntryPlace>; readonly end: number },
  ) {
    this.#file = file;
    this.#unlock = unlock;
    this.#places = places;
    this.#end = end;
  }

  /**
   * Opens or creates a journal; `fresh` discards its entries. Throws `malformed` if the file
   * belongs to another collection or is not a journal, and `busy` if another process writes to it.
   */
  static async open(
    path: string,
    subject: JournalSubject,
    { fresh }: { readonly fresh: boolean },
  ): Promise<Journal> {
    await mkdir(dirname(path), { recursive: true });
    const unlock = await lockJournal(path);
    let file: FileHandle | undefined;
    try {
      file = await open(path, "a+", 0o600);
      const found = await readJournal(path, file, subject);
      if (found === undefined || fresh) {
        await file.truncate(0);
        const header = `${JSON.stringify(headerOf(subject))}\n`;
        await file.appendFile(header);
        return new Journal(file, unlock, { places: new Map(), end: Buffer.byteLength(header) });
      }
      // Drops an incomplete last line.
      await file.truncate(found.end);
      return new Journal(file, unlock, found);
    } catch (error) {
      await file?.close();
      await unlock();
      throw error;
    }
  }

  /** The place of the latest entry of an identifier. */
  placeOf(identifier: string): EntryPlace | undefined {
    return this.#places.get(keyOf(identifier));
  }

  /** The entry at a place. */
  async read(place: EntryPlace): Promise<JournalEntry> {
    for (let length = usualEntry; length <= maxEntry; length *= 4) {
      const { buffer, bytesRead } = await this.#file.read({
        buffer: Buffer.allocUnsafe(length),
        position: place,
      });
      const end = buffer.subarray(0, bytesRead).indexOf(0x0a);
      if (end >= 0) return JSON.parse(buffer.toString("utf8", 0, end)) as JournalEntry;
    }
    return fail(
      "internal",
      "The journal was changed by another program. Run the command again with --fresh.",
    );
  }

  /** Appends an entry; returns its place. */
  async append(entry: JournalEntry): Promise<EntryPlace> {
    const line = Buffer.from(`${lineOf(entry)}\n`);
    const place = this.#end;
    this.#end += line.length;
    this.#places.set(keyOf(entry.identifier), place);
    this.#written = this.#written.then(() => this.#file.appendFile(line));
    await this.#written;
    return place;
  }

  async close(): Promise<void> {
    await this.#file.close();
    await this.#unlock();
  }
}

/**
 * JSON with escaped line separators (U+2028, U+2029), which some readers treat as ends of lines.
 */
const lineOf = (entry: JournalEntry): string =>
  JSON.stringify(entry).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");

const keyOf = (identifier: string): string =>
  createHash("sha256").update(identifier).digest().toString("latin1", 0, 12);

const headerOf = ({ collection }: JournalSubject) => ({
  journal: "vitrine doctor",
  format: journalFormat,
  version: productVersion,
  collection,
});

/**
 * The entries of a journal and the end of its last complete line; undefined if the file is new or
 * was written by another version.
 */
const readJournal = async (
  path: string,
  file: FileHandle,
  subject: JournalSubject,
): Promise<{ readonly places: Map<string, EntryPlace>; readonly end: number } | undefined> => {
  const { size } = await file.stat();
  if (size === 0) return undefined;
  const places = new Map<string, EntryPlace>();
  let end = 0;
  let isOurs: boolean | undefined;
  const lines = createInterface({ input: createReadStream(path), crlfDelay: 0 });
  for await (const line of lines) {
    const next = end + Buffer.byteLength(line) + 1;
    const value = parsed(line);
    if (isOurs === undefined) isOurs = checkHeader(value, path, subject);
    else if (isEntry(value) && next <= size) places.set(keyOf(value.identifier), end);
    if (!isOurs) return undefined;
    if (next > size) break;
    end = next;
  }
  return { places, end };
};

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

const isEntry = (value: unknown): value is JournalEntry =>
  typeof (value as JournalEntry | undefined)?.identifier === "string";

/** Whether the entries can be used; throws if the file must not be overwritten. */
const checkHeader = (value: unknown, path: string, { collection }: JournalSubject): boolean => {
  const header = (value ?? {}) as Partial<ReturnType<typeof headerOf>>;
  if (header.journal !== "vitrine doctor")
    fail(
      "malformed",
      `${path} is not a journal of vitrine doctor: name another file with --journal, or delete it.`,
    );
  if (header.collection !== collection)
    fail(
      "malformed",
      `${path} is the journal of ${header.collection}: name another file with --journal.`,
    );
  return header.format === journalFormat && header.version === productVersion;
};
