import { constants } from "node:fs";
import { type FileHandle, mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { Logger } from "../core/log.ts";
import { removeAbandoned } from "./filesystem-abandoned.ts";
import { isAbsent, removeFile, temporaryPath } from "./filesystem-files.ts";
import type { MemoryCache } from "./memory.ts";
import { type NamedRecord, opening, recordOf, recordsIn } from "./persist-records.ts";

/** How long reading at the start may take, in milliseconds. */
const loadingMs = 30_000;

export interface Persistence {
  readonly path: string;
  /**
   * Milliseconds that writing may take when it closes; what it wrote before stays if it takes
   * longer.
   */
  readonly closingMs: number;
  readonly log: Logger;
}

/**
 * Memory whose entries outlive the process, in a file: they are read from it now, and written to it
 * by `sweep` and by `close` where they have changed since. A file that cannot be read costs its
 * entries, never the start.
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
        log.warn("What the memory cache held could not be written; what it wrote before stays.", {
          path,
          error,
        }),
      );
      await memory.close();
    },
  };
};

/**
 * What is kept now; what is let go of before its turn has come is left out, instead of held on to.
 */
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
    // The most recently used come first: those that are one too many need not be read.
    for await (const record of recordsIn(contentOf(path, signal), () => lost++)) {
      bytes += record.entry.body.byteLength;
      if (bytes > memory.capacity) break;
      read.push(record);
    }
  } catch (error) {
    log.warn("What the memory cache held before could be read in part only, or not at all.", {
      path,
      error,
    });
  }
  if (lost > 0) log.warn("Parts of what the memory cache held before are damaged.", { path, lost });
  for (const { name, ...kept } of read.reverse()) memory.keep(name, kept);
};

const chunkBytes = 1_048_576;

async function* contentOf(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let handle: FileHandle;
  try {
    // A pipe in its place must not make the start hang.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    // The first start.
    if (isAbsent(error)) return yield opening;
    throw error;
  }
  if (!(await handle.stat()).isFile()) {
    await handle.close();
    throw new Error(`Expected a file, but ${path} is none`);
  }
  yield* handle.createReadStream({ highWaterMark: chunkBytes, signal });
}

/** Writes a file whole or not at all, without having more than a part of it in memory. */
const write = async (
  path: string,
  entries: Iterable<NamedRecord>,
  signal: AbortSignal,
): Promise<void> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = temporaryPath(path);
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
  // `writeFile` on a handle goes on from where it is until all is written, as `write` may not.
  if (buffers.length > 0) await handle.writeFile(Buffer.concat(buffers));
};
