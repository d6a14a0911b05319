import { environment } from "../../config/environment.ts";
import type { Settings } from "../../config/keys.ts";
import { startChild } from "../../core/child.ts";
import { ServerError } from "../../core/errors.ts";
import { createPool, type MemoryReservations, type Pool, type PoolLimits } from "../pool/index.ts";
import type { SvgDrawing, SvgJob } from "./job.ts";
import type { svgKeys } from "./keys.ts";

/** Renders SVG documents in processes of their own. */
export type SvgProcesses = Pool<SvgJob, SvgDrawing>;

/** The configured limits; `threads` and `niceness` are those of the rendering threads. */
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

/** Memory of the program itself, which its processes share. */
const sharedBytes = 47_185_920;

/** Most renders are worth finishing. */
const graceMs = 1_000;

/** Milliseconds after which an idle process ends. */
const idleMs = 60_000;

/**
 * Processes that start on demand; one that exceeds its time or memory is killed, and nothing else.
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
      late: () => new ServerError("late", "Rendering the SVG document took too long."),
      broken: (cause) =>
        new ServerError(
          "unreadable",
          "Expected an SVG document that can be rendered in the available memory; this one needs more.",
          { cause },
        ),
      notStarted: (cause) =>
        new ServerError("internal", "A process that renders SVG documents did not start.", {
          cause,
        }),
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
