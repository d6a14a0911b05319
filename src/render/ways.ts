import type { Plan } from "../core/plan.ts";
import { type Steps, work } from "../core/steps.ts";
import type { WayName } from "../core/timings.ts";
import type { DecodingOptions } from "../formats/shared/index.ts";
import { drawPlan } from "./draw.ts";
import { scaledPartOf, whyNotScaled } from "./scaled.ts";
import type { PlanTools } from "./tools.ts";
import { isWhole, wholeFile } from "./whole.ts";

/**
 * What is known of an image without its bytes; the decoder is absent where it is not loaded yet.
 */
export type WayImage = Pick<PlanTools, "info" | "part" | "decoder">;

/** One way of carrying out a plan. */
export interface Way {
  readonly name: WayName;
  /**
   * Whether reading for it costs so little that it needs no turn among what is drawn. Only its jobs
   * do.
   */
  readonly isFree: boolean;
  /** Why it cannot answer the plan, in words for people; undefined where it may. Reads nothing. */
  whyNot(plan: Plan, image: WayImage): string | undefined;
  /** As `whyNot`, by what the structure of the file says. */
  whyNotIn?(reading: DecodingOptions): string | undefined;
  /**
   * The answer; undefined where the bytes turn out to be such that the next way has to be taken,
   * and no steps at all where that is known already.
   */
  answer(plan: Plan, means: PlanTools): Steps<Uint8Array | undefined> | undefined;
}

/** What is stored is sent as it is. */
const stored: Way = {
  name: "stored",
  isFree: true,
  whyNot(plan, { info, part, decoder }) {
    if (isWhole(plan, info)) return undefined;
    if (!plan.stored) return "processor.stored_tiles is off";
    if (typeof part === "string") return part;
    if (decoder !== undefined && decoder.stored === undefined) return partless;
    const tile = info.pages[part.page]?.levels[part.level]?.tile;
    const isInTile =
      tile !== undefined && part.region.width <= tile.width && part.region.height <= tile.height;
    return isInTile ? undefined : "it is not exactly one whole stored tile";
  },
  whyNotIn: ({ notStored }) => notStored,
  answer(plan, { info, file, part, decoder }) {
    if (isWhole(plan, info)) return wholeFile(file);
    return typeof part === "string" ? undefined : decoder?.stored?.(file, info, part, plan.format);
  },
};

/** Stored pixels become a JPEG as they are, without libvips. */
const recoded: Way = {
  name: "recoded",
  isFree: false,
  whyNot(plan, { part, decoder }) {
    return typeof part === "string" ? part : whyNotThreaded(plan, decoder, "recode");
  },
  whyNotIn: ({ notRecoded }) => notRecoded,
  answer(plan, { info, file, part, decoder }) {
    return typeof part === "string" ? undefined : decoder?.recode?.(file, info, part, plan);
  },
};

/** Stored pixels become a JPEG that is reduced and nothing else, without libvips. */
const scaled: Way = {
  name: "scaled",
  isFree: false,
  whyNot(plan, { info, decoder }) {
    const page = info.pages[plan.page];
    if (page === undefined) return "there is no such page";
    return whyNotScaled(plan, page) ?? whyNotThreaded(plan, decoder, "scale");
  },
  whyNotIn: ({ notRecoded }) => notRecoded,
  answer(plan, { info, file, decoder }) {
    const page = info.pages[plan.page];
    const part = page && scaledPartOf(plan, page);
    return part && decoder?.scale?.(file, info, part, plan);
  },
};

/** libvips draws and encodes it, whatever it is. */
const drawn: Way = {
  name: "drawn",
  isFree: false,
  whyNot: () => undefined,
  answer: (plan, means) =>
    work({ away: (signal, reader) => drawPlan(plan, means, reader, signal) }),
};

/** The ways of carrying out plans, the cheapest first. The last one can always be taken. */
export const ways: readonly Way[] = [stored, recoded, scaled, drawn];

const whyNotThreaded = (
  plan: Plan,
  decoder: WayImage["decoder"],
  how: "recode" | "scale",
): string | undefined => {
  if (!plan.direct) return "processor.direct_tiles is off";
  if (plan.format !== "jpg") return "the threads for tiles make JPEGs alone";
  return decoder !== undefined && decoder[how] === undefined ? partless : undefined;
};

const partless = "files of this format have no tiles that can be taken";
