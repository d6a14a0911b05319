import type { Settings } from "../config/keys.ts";
import type { Machine } from "../config/machine.ts";
import type { workerKeys } from "./keys.ts";

/** How many workers serve: as set, or as many as the machine carries. */
export const workerCount = (
  { "http.workers": wanted }: Pick<Settings<typeof workerKeys>, "http.workers">,
  { processors, memory }: Machine,
): number =>
  wanted > 0 ? wanted : Math.max(1, Math.min(processors, Math.floor(memory / memoryOfOne)));

/** Bytes a worker should have, its share of the memory for drawing included. */
const memoryOfOne = 512 * 2 ** 20;
