import { constants } from "node:fs";
import { type FileHandle, mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { Logger } from "../core/log.ts";
import { removeAbandoned } from "./filesystem-abandoned.ts";
import { isAbsent, removeFile, temporaryPathOf } from "./filesystem-files.ts";
import type { MemoryCache } from "./memory.ts";
import { type NamedRecord, opening, recordOf, recordsIn } from "./persist-records.ts";

/** Time limit in milliseconds of reading at startup. */
const loadingMs = 30_000;

export interface Persistence {
  readonly path: string;
  /**
   * Time limit in milliseconds of writing on closing; the previous file stays if it takes longer.
   */
  readonly closingMs: number;
  readonly log: Logger;
}

/**
 * Memory whose entries outlive the process, in a file: they are read from it now, and written to it
 * by `sweep` and by `close` where they have changed since. An unreadable file costs its entries,
 * but never the start.
 */
export const persisted = async (
  memory: MemoryCache,
  { path, closingMs, log }: Persistence,
): Promise<MemoryCache> => {
  await load(memory, path, log);
  let saved = memory.changes();
  let saving: Promise<void> = Promise.resolve();

  const saveIfChanged = async (signal: AbortSignal): Promise<void> => {
    const changes = memory.changes();
    if (changes === saved) return;
    await write(path, entriesOf(memory), signal);
    saved = changes;
  };
  const save = (signal: AbortSignal): Promise<void> => {
    const result = saving.then(() => saveIfChanged(signal));
    saving = result.catch(() => undefined);
    return result;
  };

  return {
    ...memory,
    async sweep(signal = new AbortController().signal) {
      const removed = await memory.sweep(signal);
      await save(signal);
      return removed;
    },
    async close() {
      await save(AbortSignal.timeout(closingMs)).catch((error: unknown) =>
        log.warn("The memory cache could not be written to its file; the previous file stays.", {
          path,
          error,
        }),
      );
      await memory.close();
    },
  };
};

/** The current entries; those evicted before their turn are skipped rather than retained. */
function* entriesOf(memory: MemoryCache): Generator<NamedRecord> {
  for (const name of memory.names()) {
    const kept = memory.peek(name);
    if (kept) yield { name, ...kept };
  }
}

const load = async (memory: MemoryCache, path: string, log: Logger): Promise<void> => {
  const signal = AbortSignal.timeout(loadingMs);
  const read: NamedRecord[] = [];
  let lost = 0;
  try {
    await removeAbandoned(path);
    let bytes = 0;
    // Most recently used first: those beyond the limit need not be read.
    for await (const record of recordsIn(contentOf(path, signal), () => lost++)) {
      bytes += record.entry.body.byteLength;
      if (bytes > memory.capacity) break;
      read.push(record);
    }
  } catch (error) {
    log.warn("The file of the memory cache could be read only in part, or not at all.", {
      path,
      error,
    });
  }
  if (lost > 0) log.warn("Parts of the memory cache's file are corrupt.", { path, lost });
  for (const { name, ...kept } of read.reverse()) memory.keep(name, kept);
};

const chunkBytes = 1_048_576;

async function* contentOf(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let handle: FileHandle;
  try {
    // A pipe in its place must not make startup hang.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    // The first start.
    if (isAbsent(error)) return yield opening;
    throw error;
  }
  if (!(await handle.stat()).isFile()) {
    await handle.close();
    throw new Error(`Expected a file, but ${path} is not one`);
  }
  yield* handle.createReadStream({ highWaterMark: chunkBytes, signal });
}

/** Writes a file atomically, with only a part of it in memory. */
const write = async (
  path: string,
  entries: Iterable<NamedRecord>,
  signal: AbortSignal,
): Promise<void> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = temporaryPathOf(path);
  const handle = await open(temporary, "wx", 0o600);
  try {
    try {
      let batch: Uint8Array[] = [opening];
      let bytes = 0;
      for (const entry of entries) {
        const record = recordOf(entry);
        batch.push(...record);
        bytes += record.reduce((sum, { byteLength }) => sum + byteLength, 0);
        if (bytes < chunkBytes) continue;
        signal.throwIfAborted();
        await writeAll(handle, batch);
        [batch, bytes] = [[], 0];
      }
      signal.throwIfAborted();
      await writeAll(handle, batch);
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await removeFile(temporary);
    throw error;
  }
};

const writeAll = async (handle: FileHandle, buffers: readonly Uint8Array[]): Promise<void> => {
  // `writeFile` on a handle continues from its position until all is written, unlike `write`.
  if (buffers.length > 0) await handle.writeFile(Buffer.concat(buffers));
};
