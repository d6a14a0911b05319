import { join } from "node:path";
import type { HeldLock } from "../caches/shared-lock.ts";
import type { Snapshot } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import { area } from "../core/geometry.ts";
import type { Page } from "../core/info.ts";
import type { PageConverter } from "./converting.ts";
import type { JobLimits, PyramidJob } from "./job.ts";
import type { Workshop } from "./job-folder.ts";
import { localSource } from "./local-source.ts";
import type { OnProgress } from "./queue.ts";
import { PyramidRefused } from "./refused.ts";
import { type ShownLevelsDeps, shownLevels } from "./shown-levels.ts";
import type { PyramidStore } from "./store.ts";

/** What jobs need of their surroundings. */
export interface Making extends ShownLevelsDeps {
  readonly store: PyramidStore;
  readonly workshop: Workshop;
  readonly converter: PageConverter;
  /** The slot whose lock this process's jobs wait for: as many run at a time as there are slots. */
  readonly slot: () => number;
  readonly limits: () => JobLimits;
  /** The configuration that images are read with. */
  readonly values: () => Snapshot;
}

/** Why a job made no pyramid: another process has, or has failed; the job was purged meanwhile. */
export type Made = "made" | "there" | { readonly refused: string } | "purged";

/**
 * Makes a pyramid in a process of its own, unless another process does or has. Throws
 * `PyramidRefused` where the image can have none, and any other error where trying again may help.
 */
export const makePyramid = async (
  job: PyramidJob,
  making: Making,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: OnProgress },
): Promise<Made> => {
  const { store, workshop, slot, limits } = making;
  const outcome = async (): Promise<Made | undefined> => {
    const stored = await store.look(job.name, signal);
    if (stored?.kind === "ready") return "there";
    return stored && !job.retries ? { refused: stored.reason } : undefined;
  };
  const isDone = async (): Promise<boolean> => (await outcome()) !== undefined;
  const leaveSlot = await workshop.takeSlot(slot(), signal);
  try {
    const lock = await store.lock(job.name, { isDone, signal });
    try {
      const before = await outcome();
      if (before !== undefined) return before;
      if (lock === undefined) return "purged";
      const { timeoutMs } = limits();
      const late = AbortSignal.timeout(timeoutMs);
      try {
        const both = AbortSignal.any([signal, late]);
        return await makeAlone(job, making, { lock, signal: both, onProgress });
      } catch (error) {
        if (!late.aborted || signal.aborted) throw error;
        throw new PyramidRefused(
          `Making the pyramid took longer than ${timeoutMs / 1_000} s (pyramids.timeout).`,
        );
      }
    } finally {
      await lock?.release();
    }
  } finally {
    await leaveSlot();
  }
};

const makeAlone = async (
  job: PyramidJob,
  making: Making,
  {
    lock,
    signal,
    onProgress,
  }: { readonly lock: HeldLock; readonly signal: AbortSignal; readonly onProgress: OnProgress },
): Promise<Made> => {
  const { store, workshop } = making;
  const limits = making.limits();
  await workshop.clear(signal);
  await checkRoom(job.page, workshop, limits);
  const folder = await workshop.open();
  try {
    const reader = await job.image.object.open(signal);
    try {
      const from = await localSource(reader, job, { folder, workshop, limits, signal });
      const file = join(folder.path, "pyramid.tif");
      const how = { limits, values: making.values() };
      const findReduced = shownLevels(job, making, { folder: folder.path, signal });
      await making.converter.convert({ job, reader, from, to: file }, how, {
        ...{ signal, onProgress, findReduced },
      });
      await reader.check?.();
      const facts = { ...job.facts, made: new Date() };
      const isStored = await store.put({ name: job.name, file, facts, lock }, signal);
      return isStored ? "made" : "purged";
    } finally {
      await reader.close();
    }
  } finally {
    await folder.remove();
  }
};

/** Throws where a pyramid has no room, now or ever. */
const checkRoom = async (
  { size, colour }: Page,
  workshop: Workshop,
  { maxSize }: JobLimits,
): Promise<void> => {
  // As many bytes as the pixels have; they are stored uncompressed meanwhile.
  const bytes = area(size) * (colour.alpha ? 4 : 3) * (colour.bits > 8 ? 2 : 1);
  if (bytes / usualReduction > maxSize / 4)
    throw new PyramidRefused(
      `The pyramid could take more than a quarter of ${maxSize} bytes (pyramids.max_size).`,
    );
  const free = await workshop.free();
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
