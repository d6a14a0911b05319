import { fail } from "../core/errors.ts";
import { formats } from "../core/formats.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { Codec, Decoder, LevelPart, Reading } from "../formats/codec.ts";
import { checkedAnswer, partOrReason, storedAnswer } from "./direct.ts";
import { sharpenApron } from "./finish.ts";
import { wantOf, windowOf } from "./geometry.ts";
import { reachOf } from "./scale.ts";
import { whyNotScaled } from "./scaled.ts";
import { isWhole } from "./whole.ts";

/** How a plan would be carried out, and why not in a quicker way. */
export interface Approach {
  /**
   * `stored`: sent as it is stored; `recoded`: pixel for pixel by the threads for tiles; `scaled`:
   * reduced by these; `drawn`: by libvips.
   */
  readonly way: "stored" | "recoded" | "scaled" | "drawn";
  readonly notStored?: string;
  readonly notRecoded?: string;
  readonly notScaled?: string;
  /** What is read for it; absent where the file has no parts and libvips reads it as it likes. */
  readonly reading?: Reading;
}

/** What a plan is explained by. */
interface Means {
  readonly reader: RangeReader;
  readonly info: ImageInfo;
  readonly decoder: Decoder;
  readonly signal: AbortSignal;
}

/**
 * Finds out how a plan would be carried out. Nothing is decoded; a stored tile or file is read
 * where it may be the answer, since only its bytes tell. `recoded` and `scaled` go by the structure of the file:
 * what is odd about the data itself turns up in drawing, and is then libvips' to draw.
 */
export const explainPlan = async (
  plan: Plan,
  reader: RangeReader,
  info: ImageInfo,
  { decoder }: Codec,
  signal: AbortSignal,
): Promise<Approach> => {
  if (decoder === undefined)
    return fail("unimplemented", `${formats[info.format].name} images cannot be read here`);
  if (isWhole(plan, info)) return { way: "stored" };
  const part = partOrReason(plan, info);
  const reading = await readingOf(plan, part, { reader, info, decoder, signal });
  const found = reading === undefined ? {} : { reading };
  const unstored = whyNotStored(plan, part, decoder, reading);
  if (unstored === undefined) {
    const stored =
      (await storedAnswer(plan, reader, info, { decoder }, signal)) ??
      (await checkedAnswer(plan, reader, info, { decoder }, signal));
    if (stored !== undefined) return { way: "stored", ...found };
  }
  const notStored = unstored ?? "what is stored is no such picture for itself";
  const notThreaded = whyNotThreaded(plan, decoder, reading);
  const notRecoded = typeof part === "string" ? part : notThreaded;
  if (notRecoded === undefined) return { way: "recoded", notStored, ...found };
  const notScaled = whyNotScaled(plan, pageOf(plan, info)) ?? notThreaded;
  return notScaled === undefined
    ? { way: "scaled", notStored, notRecoded, ...found }
    : { way: "drawn", notStored, notRecoded, notScaled, ...found };
};

const pageOf = (plan: Plan, { pages }: ImageInfo): Page => pages[plan.page] ?? pages[0];

const readingOf = async (
  plan: Plan,
  part: LevelPart | string,
  { reader, info, decoder, signal }: Means,
): Promise<Reading | undefined> => {
  const page = pageOf(plan, info);
  const reduces = plan.size.width < plan.crop.width || plan.size.height < plan.crop.height;
  const want = wantOf(plan, page, {
    apron: plan.sharpen > 0 ? sharpenApron : 0,
    reach: reachOf(reduces ? plan.downscaleFilter : plan.upscaleFilter),
  });
  const wanted = {
    window: windowOf(want, page, plan.page),
    part: typeof part === "string" ? undefined : part,
  };
  return decoder.explain?.(reader, info, wanted, plan, signal);
};

const whyNotStored = (
  plan: Plan,
  part: LevelPart | string,
  { stored }: Decoder,
  reading: Reading | undefined,
): string | undefined => {
  if (!plan.stored) return "processor.stored_tiles is off";
  if (typeof part === "string") return part;
  return stored === undefined ? partless : reading?.notStored;
};

const whyNotThreaded = (
  plan: Plan,
  { recode }: Decoder,
  reading: Reading | undefined,
): string | undefined => {
  if (!plan.direct) return "processor.direct_tiles is off";
  if (plan.format !== "jpg") return "the threads for tiles make JPEGs alone";
  return recode === undefined ? partless : reading?.notRecoded;
};

const partless = "files of this format have no tiles that can be taken";
