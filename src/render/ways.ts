import type { Plan } from "../core/plan.ts";
import { type Steps, work } from "../core/steps.ts";
import type { WayName } from "../core/timings.ts";
import type { DecodingOptions } from "../formats/shared/index.ts";
import { drawPlan, overviewJob } from "./draw.ts";
import type { OverviewJob } from "./overview.ts";
import { scaledPartOf, whyNotScaled } from "./scaled.ts";
import type { PlanTools } from "./tools.ts";
import { isWhole, wholeFile } from "./whole.ts";

/** What is known of an image without its bytes; the decoder is absent until it is loaded. */
export type WayImage = Pick<PlanTools, "info" | "part" | "decoder">;

/** One way of executing a plan. */
export interface Way {
  readonly name: WayName;
  /** Whether reading for it is so cheap that it needs no admission. Its jobs still do. */
  readonly isFree: boolean;
  /** Why it cannot execute the plan, in words for people; undefined where it may. Reads nothing. */
  whyNot(plan: Plan, image: WayImage): string | undefined;
  /** As `whyNot`, by the file's structure. */
  whyNotIn?(reading: DecodingOptions): string | undefined;
  /**
   * The result; undefined where the bytes turn out to require the next way, and no steps at all
   * where that is known already.
   */
  answer(plan: Plan, means: PlanTools): Steps<Uint8Array | undefined> | undefined;
  /** How to make what the result is cut from, where other plans share it. */
  overview?(plan: Plan, means: PlanTools): OverviewJob | undefined;
}

/** Stored data is sent as it is. */
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

/** Stored pixels are encoded as a JPEG unchanged, without libvips. */
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

/** Stored pixels are downscaled and encoded as a JPEG, without libvips. */
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

/** libvips renders and encodes anything. */
const drawn: Way = {
  name: "drawn",
  isFree: false,
  whyNot: () => undefined,
  answer: (plan, means) =>
    work({ away: (signal, reader) => drawPlan(plan, means, reader, signal) }),
  overview: overviewJob,
};

/** The ways of executing plans, cheapest first. The last one always works. */
export const ways: readonly Way[] = [stored, recoded, scaled, drawn];

const whyNotThreaded = (
  plan: Plan,
  decoder: WayImage["decoder"],
  how: "recode" | "scale",
): string | undefined => {
  if (!plan.direct) return "processor.direct_tiles is off";
  if (plan.format !== "jpg") return "the threads for tiles make only JPEGs";
  return decoder !== undefined && decoder[how] === undefined ? partless : undefined;
};

const partless = "files of this format have no tiles that can be taken";
