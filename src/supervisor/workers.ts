import type { Settings } from "../config/keys.ts";
import type { Machine } from "../config/machine.ts";
import type { workerKeys } from "./keys.ts";

/** How many workers serve: as set, or as many as processors and memory carry. */
export const workerCount = (
  { "http.workers": wanted }: Pick<Settings<typeof workerKeys>, "http.workers">,
  { processors, memory }: Pick<Machine, "processors" | "memory">,
): number =>
  wanted > 0 ? wanted : Math.max(1, Math.min(processors, Math.floor(memory / memoryOfOne)));

/**
 * Bytes a worker should have, with all that it draws and keeps, so that it can read large images.
 */
const memoryOfOne = 768 * 2 ** 20;
