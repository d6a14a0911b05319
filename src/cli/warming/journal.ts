import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { linesOf } from "./lines.ts";

/** A file that records finished images and their work, so that a run can be continued. */
export interface Journal {
  /** Number of recorded images. */
  readonly size: number;
  has(identifier: string, work: string): boolean;
  /** Appends images whose work is finished. */
  add(identifiers: readonly string[], work: string): Promise<void>;
  close(): Promise<void>;
}

/** Maximum number of entries: their hashes take about 100 bytes each in memory. */
const maxEntries = 5_000_000;

/**
 * Opens or creates a journal. A line that was cut off by a crash is ignored, and its work repeated.
 * Throws if the file is not a journal.
 */
export const openJournal = async (path: string, signal: AbortSignal): Promise<Journal> => {
  const file = await open(path, "a+", 0o644);
  try {
    const known = new Set<string>();
    let hasOthers = false;
    for await (const line of linesOf(file.createReadStream({ start: 0, autoClose: false }))) {
      signal.throwIfAborted();
      const entry = entryOf(line.text);
      if (entry !== undefined) known.add(hashOf(entry.identifier, entry.done));
      else hasOthers ||= line.isWhole && line.text !== "";
      if (known.size > maxEntries)
        throw new Error(
          `${path} has more than ${maxEntries} entries; use another file with --resume`,
        );
    }
    if (hasOthers && known.size === 0)
      throw new Error(
        `${path} is not a journal of 'vitrine warm': expected lines of JSON with identifier and done`,
      );
    return journalOf(file, known, await endsInMiddle(file));
  } catch (error) {
    await file.close();
    throw error;
  }
};

const journalOf = (file: FileHandle, known: Set<string>, isCut: boolean): Journal => {
  let before = isCut ? "\n" : "";
  return {
    get size() {
      return known.size;
    },
    has: (identifier, work) => known.has(hashOf(identifier, work)),
    async add(identifiers, work) {
      const lines = identifiers.map((identifier) => JSON.stringify({ identifier, done: work }));
      // In one call, so that the lines of several runs do not mix.
      await file.appendFile(`${before}${lines.join("\n")}\n`);
      before = "";
      for (const identifier of identifiers) known.add(hashOf(identifier, work));
    },
    async close() {
      await file.sync();
      await file.close();
    },
  };
};

/** Whether the last line is incomplete. */
const endsInMiddle = async (file: FileHandle): Promise<boolean> => {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== 0x0a;
};

const entryOf = (
  line: string,
): { readonly identifier: string; readonly done: string } | undefined => {
  try {
    const { identifier, done }: Readonly<Record<string, unknown>> = Object(JSON.parse(line));
    return typeof identifier === "string" && typeof done === "string"
      ? { identifier, done }
      : undefined;
  } catch {
    return undefined;
  }
};

/** 96 bits: no two of five million are likely to be equal. */
const hashOf = (identifier: string, work: string): string =>
  createHash("sha256").update(`${work}\0${identifier}`).digest("base64url").slice(0, 16);
