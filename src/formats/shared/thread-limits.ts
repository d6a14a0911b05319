import { defineKeys, type Settings } from "../../config/keys.ts";
import type { PoolLimits, Resources } from "../pool/index.ts";
import { decodingKeys } from "./keys.ts";

/** Number of decoding threads, and their priority. */
export const threadKeys = defineKeys({
  ...decodingKeys,
  "processor.tile_threads": {
    type: "integer",
    default: 0,
    min: 0,
    max: 256,
    doc: "Number of threads that decode, scale and encode tiles; 0 for one per processor.",
  },
  "processor.niceness": {
    type: "integer",
    default: 10,
    min: 0,
    max: 19,
    doc: "How much lower the priority of rendering threads is than that of the threads that handle requests, as a Linux nice value; 0 for the same priority. Other systems have no thread priorities.",
    restart: true,
  },
});

/** Limits common to pools of decoders. */
export type ThreadLimits = Pick<PoolLimits, "threads" | "ms" | "niceness">;

/** The limits of a pool in a process with so many processors, at least in part. */
export const threadLimits = (
  settings: Settings<typeof threadKeys>,
  processors: number,
): ThreadLimits => ({
  threads: settings["processor.tile_threads"] || Math.max(1, Math.ceil(processors)),
  ms: (settings["processor.timeout"] || maxSeconds) * 1_000,
  niceness: settings["processor.niceness"],
});

const maxSeconds = 3_600;

/**
 * The limits of a process's pools by the current settings; one thread each where it has no
 * processors of its own.
 */
export const threadLimitsOf = ({ config, processors }: Resources): (() => ThreadLimits) => {
  const settings = config.view(threadKeys);
  return () => {
    if (processors !== undefined) return threadLimits(settings(), processors);
    const { ms } = threadLimits(settings(), 1);
    return { threads: 1, ms };
  };
};
