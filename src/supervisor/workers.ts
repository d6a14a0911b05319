import type { Settings } from "../config/keys.ts";
import type { Machine } from "../config/machine.ts";
import type { workerKeys } from "./keys.ts";

/** Number of workers: as configured, or as many as processors and memory allow. */
export const workerCount = (
  { "http.workers": wanted }: Pick<Settings<typeof workerKeys>, "http.workers">,
  { processors, memory }: Pick<Machine, "processors" | "memory">,
): number =>
  wanted > 0 ? wanted : Math.max(1, Math.min(processors, Math.floor(memory / memoryOfOne)));

/** Bytes a worker should have, with its renders and caches, so that it can read large images. */
const memoryOfOne = 768 * 2 ** 20;
