import { type FileHandle, open } from "node:fs/promises";
import { filesystemCache } from "../caches/filesystem.ts";
import { isAbsent } from "../caches/filesystem-files.ts";
import { CopyFailed } from "../caches/source-download.ts";
import { openSourceFiles, type SourceFiles } from "../caches/source-files.ts";
import type { Config } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { Source, SourceObject } from "../core/source.ts";
import type { Sniff } from "../formats/shared/index.ts";
import { isAnyRemote } from "../sources/choosing.ts";
import { closingTimes } from "./closing.ts";
import { copiedOnDemand } from "./copied-on-demand.ts";
import { sourceCopyKeys } from "./source-copy-keys.ts";
import type { SweptPlace } from "./sweeping.ts";
import { temporaryCopies } from "./temporary-copies.ts";

/** Replaces remote images by copies on this machine. */
export interface SourceCopies {
  /** Absent where no copies are kept. */
  readonly files?: SourceFiles;
  /** A source whose images are read from copies where they can be downloaded. */
  source(source: Source): Source;
  /** A sniffer that removes the copy of an unrecognised file, where so configured. */
  sniff(sniff: Sniff): Sniff;
  /** The place to sweep periodically. */
  readonly swept: readonly SweptPlace[];
  close(): Promise<void>;
}

const none: SourceCopies = {
  source: (source) => source,
  sniff: (sniff) => sniff,
  swept: [],
  close: async () => {},
};

/**
 * The folder of copies: as configured, or a temporary one where sources are remote; undefined for
 * none.
 */
const placeOf = async (
  config: Config,
  log: Logger,
): Promise<{ readonly pathname: string; readonly bytes: number } | undefined> => {
  const settings = config.view(sourceCopyKeys)();
  const bytes = settings["cache.server.source.max_size"];
  if (settings["cache.server.source"] !== "")
    return { pathname: config.view(filesystemCache.keys)()["FilesystemCache.pathname"], bytes };
  if (!isAnyRemote(config)) return undefined;
  const { folder, maxBytes } = await temporaryCopies(config, log);
  return { pathname: folder, bytes: bytes === 0 ? maxBytes : Math.min(bytes, maxBytes) };
};

/** The configured copies; logs a warning where they cannot be had. */
export const createSourceCopies = async (config: Config, log: Logger): Promise<SourceCopies> => {
  const settings = config.view(sourceCopyKeys);
  const configured = settings();
  try {
    const place = await placeOf(config, log);
    if (place === undefined) return none;
    const files = await openSourceFiles({
      ...place,
      ttlMs: configured["cache.server.source.ttl_seconds"] * 1000,
      log,
      closingMs: closingTimes.copying,
    });
    return copiesIn(files, {
      log,
      purges: () => settings()["processor.purge_incompatible_from_source_cache"],
      inParts: configured["processor.stream_retrieval_strategy"] === "StreamStrategy",
      refuses: configured["processor.fallback_retrieval_strategy"] === "AbortStrategy",
    });
  } catch (error) {
    // Every image can be served without copies.
    log.warn(
      "Remote files cannot be copied to this machine: the folder for copies (cache.server.source) is not usable.",
      {
        error,
      },
    );
    return none;
  }
};

/** How a reader gets its copy. */
interface CopyOrigin {
  readonly identifier: string;
  readonly version: string;
}

interface CopiesParts {
  readonly purges: () => boolean;
  /** Copies an object that supports ranges only where a format needs the whole file; default no. */
  readonly inParts?: boolean;
  /** Refuses objects that do not support ranges; default no. */
  readonly refuses?: boolean;
  readonly log: Logger;
}

/** Minimum milliseconds between two log messages about failed copies. */
const toldMs = 60_000;

export const copiesIn = (
  files: SourceFiles,
  { purges, log, inParts = false, refuses = false }: CopiesParts,
): SourceCopies => {
  const origins = new WeakMap<RangeReader, CopyOrigin>();
  let toldAt = Number.NEGATIVE_INFINITY;

  const tell = (error: CopyFailed): void => {
    if (performance.now() - toldAt < toldMs) return;
    toldAt = performance.now();
    log.warn("A file from a source could not be copied to this machine; it is read remotely.", {
      error,
    });
  };

  const openCopy = async (
    { version, size }: SourceObject,
    download: NonNullable<SourceObject["download"]>,
    { identifier, signal }: { readonly identifier: string; readonly signal: AbortSignal },
  ): Promise<RangeReader> => {
    const wanted = { identifier, version, size, download };
    for (let attempt = 1; ; attempt++) {
      try {
        const reader = await readCopy(await files.fetch(wanted, signal), size);
        origins.set(reader, { identifier, version });
        return reader;
      } catch (error) {
        if (isAbsent(error) && attempt === 1) continue; // It was purged just before it was opened.
        throw error instanceof Error && "syscall" in error ? new CopyFailed(error) : error;
      }
    }
  };

  const copied = (object: SourceObject, identifier: string): SourceObject => {
    const { download } = object;
    if (download === undefined || !files.takes(object.size)) return object;
    if (object.byRanges && inParts) {
      const copy = (signal: AbortSignal): Promise<RangeReader> =>
        openCopy(object, download.bind(object), { identifier, signal });
      const { version, size } = object;
      const has = (): Promise<boolean> => files.has({ identifier, version, size });
      return {
        ...object,
        open: async (signal) =>
          copiedOnDemand(await object.open(signal), { copy, has, tell, refuses }),
      };
    }
    return {
      ...object,
      open: async (signal = new AbortController().signal) => {
        try {
          return await openCopy(object, download.bind(object), { identifier, signal });
        } catch (error) {
          if (!(error instanceof CopyFailed)) throw error;
          tell(error);
          return object.open(signal);
        }
      },
    };
  };

  const dropIncompatible = async (reader: RangeReader): Promise<void> => {
    const origin = origins.get(reader);
    if (origin && purges()) await files.drop(origin);
  };

  return {
    files,
    source: (source) => ({
      ...(source.close ? { close: () => source.close?.() ?? Promise.resolve() } : {}),
      ...(source.list ? { list: source.list } : {}),
      find: async (identifier, context) =>
        copied(await source.find(identifier, context), identifier),
    }),
    sniff: (sniff) => async (reader, signal) => {
      try {
        const format = await sniff(reader, signal);
        if (format === undefined) await dropIncompatible(reader);
        return format;
      } catch (error) {
        if (error instanceof ServerError && error.failure === "unreadable")
          await dropIncompatible(reader);
        throw error;
      }
    },
    swept: [{ name: "source files", sweep: (signal) => files.sweep(signal) }],
    close: () => files.close(),
  };
};

/** Reads a copy by ranges. The file is open from the start, so that removing it does no harm. */
const readCopy = async (path: string, size: number): Promise<RangeReader> => {
  const handle = await open(path, "r");
  return {
    path,
    size,
    async read(offset, length, signal) {
      signal?.throwIfAborted();
      return readAt(handle, offset, Math.max(0, Math.min(length, size - offset)));
    },
    stream: (signal) =>
      handle.createReadStream({ start: 0, autoClose: false, ...(signal ? { signal } : {}) }),
    close: () => handle.close(),
  };
};

const readAt = async (handle: FileHandle, offset: number, length: number): Promise<Uint8Array> => {
  // Not from the common pool: small cached pieces must not retain their neighbours.
  const bytes = new Uint8Array(new ArrayBuffer(length));
  let filled = 0;
  // A single read may return less although more is there.
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled === length ? bytes : bytes.subarray(0, filled);
};
