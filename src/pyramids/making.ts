import { hostname } from "node:os";
import { takeLock, usualLockTimes } from "../caches/filesystem-lock.ts";
import { environment } from "../config/environment.ts";
import type { Snapshot } from "../config/store.ts";
import { Converter } from "../conversion/converter.ts";
import { ServerError } from "../core/errors.ts";
import { area } from "../core/geometry.ts";
import type { Page } from "../core/info.ts";
import { localPath, type RangeReader } from "../core/range-reader.ts";
import type { KnownImage } from "../service/known.ts";
import { encodingFor } from "./encoding.ts";
import type { PyramidFolder } from "./folder.ts";
import { watchMemory } from "./memory-watch.ts";

/** The pyramid of a page could not be made, and would not be made by trying again soon. */
export class PyramidRefused extends Error {
  override readonly name = "PyramidRefused";
}

/** A pyramid to be made. */
export interface PyramidJob {
  /** The name in the folder. */
  readonly name: string;
  readonly image: KnownImage;
  readonly page: Page;
  /** Counted from 0. */
  readonly index: number;
}

/** The limits of a job. */
export interface JobLimits {
  /** Of all pyramids together, in bytes. */
  readonly maxSize: number;
  /** Of the process, in bytes. */
  readonly memory: number;
  readonly timeoutMs: number;
  /** Of JPEG tiles, 1 to 100. */
  readonly quality: number;
}

/** What jobs need of their surroundings. */
export interface Workshop {
  readonly folder: PyramidFolder;
  /** The slot whose lock this process's jobs wait for: as many run at a time as there are slots. */
  readonly slot: number;
  readonly limits: () => JobLimits;
  /** The configuration that images are read with. */
  readonly values: () => Snapshot;
}

/**
 * Makes a pyramid in a process of its own, unless another process does or has. Throws
 * `PyramidRefused` where the image can have none, and any other error where trying again may help.
 */
export const makePyramid = async (
  job: PyramidJob,
  { folder, slot, limits, values }: Workshop,
  signal: AbortSignal,
): Promise<void> => {
  const never = async (): Promise<boolean> => false;
  const isDone = async (): Promise<boolean> => (await folder.find(job.name)) !== undefined;
  await folder.prepare(job.name);
  const slotLock = folder.slotPath(hostname(), slot);
  const leaveSlot = await takeLock(slotLock, usualLockTimes, { isDone: never, signal });
  try {
    const lock = folder.lockPath(job.name);
    const unlock = await takeLock(lock, usualLockTimes, { isDone, signal });
    try {
      if (unlock === undefined || (await isDone())) return;
      const { timeoutMs } = limits();
      const late = AbortSignal.timeout(timeoutMs);
      try {
        await makeAlone(job, { folder, limits: limits(), values }, AbortSignal.any([signal, late]));
      } catch (error) {
        if (!late.aborted || signal.aborted) throw error;
        throw new PyramidRefused(
          `Making the pyramid took longer than ${timeoutMs / 1_000} s (pyramids.timeout).`,
        );
      }
    } finally {
      await unlock?.();
    }
  } finally {
    await leaveSlot?.();
  }
};

const makeAlone = async (
  job: PyramidJob,
  { folder, limits, values }: Pick<Workshop, "folder" | "values"> & { readonly limits: JobLimits },
  signal: AbortSignal,
): Promise<void> => {
  const { image, page, name } = job;
  await checkRoom(page, folder, limits);
  const reader = await image.object.open(signal);
  try {
    const from = await localPath(reader, signal);
    if (from === undefined)
      throw new PyramidRefused(
        "The image is read from a server, and no copy of it can be made (cache.server.source).",
      );
    const encoding = encodingFor(image.info, page, {
      ...limits,
      start: await startOf(reader, signal),
    });
    const converter = new Converter(environment(), { niceness });
    const watch = watchMemory(converter, limits.memory);
    try {
      const outcome = await converter.convert(
        {
          from,
          to: folder.path(name),
          force: true,
          page: job.index + 1,
          format: "tif",
          quality: encoding.quality,
          pyramid: { ...encoding, levels: "pages", reduction: "scaled" },
          limits: { "processor.max_decoded_bytes": Math.floor(limits.memory / 2) },
        },
        values(),
        { signal, onProgress: () => {} },
      );
      signal.throwIfAborted();
      if (watch.exceeded)
        throw new PyramidRefused(
          `Making the pyramid took more than ${limits.memory} bytes of memory (pyramids.job_memory).`,
        );
      if ("failed" in outcome) throw failureOf(outcome.failed);
      await reader.check?.();
    } finally {
      watch.stop();
      await converter.close();
    }
    await folder.finish(name);
  } catch (error) {
    // Nobody has used it yet.
    await folder.drop(name);
    throw error;
  } finally {
    await reader.close();
  }
};

/** The lowest priority. */
const niceness = 19;

/** Throws where a pyramid has no room, now or ever. */
const checkRoom = async (
  { size, colour }: Page,
  folder: PyramidFolder,
  { maxSize }: JobLimits,
): Promise<void> => {
  // As many bytes as the pixels have; they are stored uncompressed meanwhile.
  const bytes = area(size) * (colour.alpha ? 4 : 3) * (colour.bits > 8 ? 2 : 1);
  if (bytes / usualReduction > maxSize / 4)
    throw new PyramidRefused(
      `The pyramid could take more than a quarter of ${maxSize} bytes (pyramids.max_size).`,
    );
  const free = await folder.free();
  if (free < bytes * 2 + reserve)
    throw new ServerError(
      "busy",
      `The folder of the pyramids has ${free} bytes free; ${bytes * 2 + reserve} are needed.`,
    );
};

/** Pyramids are usually smaller than their pixels by more than this factor. */
const usualReduction = 2;

/** Bytes of the file system that pyramids leave free. */
const reserve = 536_870_912;

/** Enough for the headers that tell how an image is encoded. */
const startBytes = 1_048_576;

const startOf = (reader: RangeReader, signal: AbortSignal): Promise<Uint8Array> =>
  reader.read(0, Math.min(startBytes, reader.size), signal);

/** A full disk may have room later; what the decoder refuses, it refuses again. */
const failureOf = (reason: string): Error =>
  /\((ENOSPC|EDQUOT|EACCES|EROFS)\)/.test(reason)
    ? new ServerError("busy", reason)
    : new PyramidRefused(reason);
