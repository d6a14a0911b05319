import type { Plan } from "../../../core/plan.ts";
import type { Steps } from "../../../core/steps.ts";
import { drawing, jpegEncodingOf, whyNotEncoded } from "../../fast-jpeg/index.ts";
import type { LevelPart } from "../../shared/index.ts";
import type { StoredLevel } from "../structure/index.ts";
import { isDirect, readForThreads } from "./direct.ts";
import { type Recoding, recoded } from "./recoding.ts";

/** Why fast JPEGs cannot be made of a level; undefined where they can. */
export const whyNotRecoded = (
  level: StoredLevel,
  plan: Pick<Plan, "encoding">,
): string | undefined =>
  whyNotEncoded(plan) ??
  (isDirect(level) ? undefined : "its tiles are of a kind that is not recoded");

/**
 * A JPEG of a part of a level with the plan's encoding; undefined where libvips has to render it.
 */
export const recodePart = (
  { file, level, threads }: Recoding,
  { region, profiled }: LevelPart,
  plan: Plan,
): Steps<Uint8Array | undefined> | undefined => {
  const encoding = jpegEncodingOf(plan);
  if (encoding === undefined || whyNotRecoded(level, plan) !== undefined) return undefined;
  const { quality, subsampling } = encoding;
  const room = (length: number): Uint8Array => threads.room(length);
  const reading = readForThreads(file, level, { region, room });
  return recoded({ file, level }, { profiled }, reading, ({ job, isPassing }) => {
    const { compression, predictor, tile, samples, tiles, size } = job;
    // Spreading goes through V8's runtime.
    const whole = { compression, predictor, tile, samples, tiles, size, quality, subsampling };
    return drawing(threads, whole, isPassing);
  });
};
