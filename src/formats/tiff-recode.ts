import type { Plan } from "../core/plan.ts";
import type { Steps } from "../core/steps.ts";
import type { LevelPart } from "./codec.ts";
import { encodingFor, type Recoding, recoded } from "./recoding.ts";
import { isDirect, readForThreads } from "./tiff-direct.ts";
import type { StoredLevel } from "./tiff-pages.ts";
import { drawing } from "./tile-work.ts";

/** Why the JPEG that a plan wants of a level cannot be made by the threads for tiles; undefined where it can. */
export const whyNotRecoded = (
  level: StoredLevel,
  { encoding }: Pick<Plan, "encoding">,
): string | undefined => {
  // Neither of these does the encoder of tiles.
  if (encoding["progressive"] === true) return "JPEGs are to be progressive";
  if (encoding["optimise"] === true) return "the tables of JPEGs are to be optimised";
  return isDirect(level) ? undefined : "its tiles are of none of the kinds that are recoded";
};

/** A JPEG of a part of a level as the plan's encoding has it; undefined where libvips has to draw it. */
export const recodePart = (
  { file, level, threads }: Recoding,
  { region, profiled }: LevelPart,
  plan: Plan,
): Steps<Uint8Array | undefined> | undefined => {
  const encoding = encodingFor(plan);
  if (encoding === undefined || whyNotRecoded(level, plan) !== undefined) return undefined;
  const room = (length: number): Uint8Array => threads.room(length);
  const reading = readForThreads(file, level, { region, room });
  return recoded({ file, level }, { profiled }, reading, ({ job, isPassing }) =>
    drawing(threads, { ...job, ...encoding }, isPassing),
  );
};
