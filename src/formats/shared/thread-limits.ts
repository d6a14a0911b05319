import { defineKeys, type Settings } from "../../config/keys.ts";
import type { PoolLimits, Resources } from "../pool/index.ts";
import { decodingKeys } from "./keys.ts";

/** How many threads decode, and at what priority. */
export const threadKeys = defineKeys({
  ...decodingKeys,
  "processor.tile_threads": {
    type: "integer",
    default: 0,
    min: 0,
    max: 256,
    doc: "How many threads draw such pictures; 0 for as many as there are processors.",
  },
  "processor.niceness": {
    type: "integer",
    default: 10,
    min: 0,
    max: 19,
    doc: "By how much the threads that draw give way to those that answer, where there is too much to do for the processors: Linux' nice values; 0 for not at all. Other systems have no priorities of threads.",
    restart: true,
  },
});

/** What pools of decoders have in common. */
export type ThreadLimits = Pick<PoolLimits, "threads" | "ms" | "niceness">;

/** The limits of a pool in a process with so many processors, at least in part, for itself. */
export const threadLimits = (
  settings: Settings<typeof threadKeys>,
  processors: number,
): ThreadLimits => ({
  threads: settings["processor.tile_threads"] || Math.max(1, Math.ceil(processors)),
  ms: (settings["processor.timeout"] || maxSeconds) * 1_000,
  niceness: settings["processor.niceness"],
});

const maxSeconds = 3_600;

/** The limits of the pools of a process as the settings are now; one thread each where it has no processors of its own. */
export const threadLimitsOf = ({ config, processors }: Resources): (() => ThreadLimits) => {
  const settings = config.view(threadKeys);
  return () => {
    if (processors !== undefined) return threadLimits(settings(), processors);
    const { ms } = threadLimits(settings(), 1);
    return { threads: 1, ms };
  };
};
