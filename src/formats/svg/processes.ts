import { environment } from "../../config/environment.ts";
import type { Settings } from "../../config/keys.ts";
import { startChild } from "../../core/child.ts";
import { ServerError } from "../../core/errors.ts";
import { createPool, type MemoryReservations, type Pool, type PoolLimits } from "../pool/index.ts";
import type { SvgDrawing, SvgJob } from "./job.ts";
import type { svgKeys } from "./keys.ts";

/** Draws SVG documents in processes of their own. */
export type SvgProcesses = Pool<SvgJob, SvgDrawing>;

/** What the settings come to; `threads` and `niceness` are those of threads that draw. */
export const svgProcessLimits = (
  settings: Settings<typeof svgKeys>,
  drawing: Pick<PoolLimits, "threads" | "niceness">,
): PoolLimits => {
  const seconds = settings["processor.timeout"] || Number.POSITIVE_INFINITY;
  return {
    ...drawing,
    ms: Math.min(seconds, settings["processor.svg.timeout"]) * 1_000,
    data: { memory: settings["processor.svg.max_memory_bytes"] },
    reservedBytes: settings["processor.svg.max_memory_bytes"] - sharedBytes,
  };
};

/** Of a process, the program itself, which is in memory once for all of them. */
const sharedBytes = 47_185_920;

/** Most drawings are worth finishing. */
const graceMs = 1_000;

/** How long a process stays that has nothing to do, in milliseconds. */
const idleMs = 60_000;

/**
 * Processes that start when they are needed; one that takes too long or too much is ended, and
 * nothing else.
 */
export const createSvgProcesses = (
  limits: () => PoolLimits,
  reservations?: MemoryReservations,
): SvgProcesses =>
  createPool<SvgJob, SvgDrawing>(limits, {
    reservations,
    module: new URL("./drawing-process", import.meta.url),
    start: (module, { memory, niceness }) =>
      startChild(module, [`${memory}`, `${niceness}`], environment()),
    failures: {
      late: () => new ServerError("late", "Drawing the SVG document took longer than it may."),
      broken: (cause) =>
        new ServerError(
          "unreadable",
          "Expected an SVG document that can be rendered in the available memory; this one needs more.",
          { cause },
        ),
      notStarted: (cause) =>
        new ServerError("internal", "A process that draws SVG documents did not start.", { cause }),
      damaged: (cause) =>
        new ServerError(
          "unreadable",
          "Expected an SVG document that can be rendered; this one is corrupt or nested too deep.",
          { cause },
        ),
    },
    graceMs,
    idleMs,
  });
