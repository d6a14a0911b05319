import { fail } from "../core/errors.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { RangeReader } from "../core/range-reader.ts";
import { complete, type Steps } from "../core/steps.ts";
import type { WayName } from "../core/timings.ts";
import { factsOf } from "../formats/registry.ts";
import type { Codec, Decoder, DecodingOptions } from "../formats/shared/index.ts";
import { partOf } from "./direct.ts";
import { sharpenApron } from "./finish.ts";
import { wantOf, windowOf } from "./geometry.ts";
import { reachOf } from "./scale.ts";
import { toolsOf } from "./tools.ts";
import { ways } from "./ways.ts";
import { isWhole, largestWhole } from "./whole.ts";

/** How a plan would be executed, and why not in a faster way. */
export interface PlanExplanation {
  readonly way: WayName;
  readonly notStored?: string;
  readonly notRecoded?: string;
  readonly notScaled?: string;
  /** What is read; absent where the file has no parts and libvips reads it as it likes. */
  readonly reading?: DecodingOptions;
}

/** The inputs of an explanation. */
interface Readable {
  readonly reader: RangeReader;
  readonly info: ImageInfo;
  readonly decoder: Decoder;
  readonly signal: AbortSignal;
}

/**
 * Finds out how a plan would be executed. Nothing is decoded; a stored tile or file is read where
 * it may be the response, since only its bytes can tell. `recoded` and `scaled` are judged by the
 * file's structure: odd data is only found when rendering, which then falls back to libvips.
 */
export const explainPlan = async (
  plan: Plan,
  reader: RangeReader,
  info: ImageInfo,
  { decoder }: Codec,
  signal: AbortSignal,
): Promise<PlanExplanation> => {
  if (decoder === undefined)
    return fail("unimplemented", `${factsOf(info.format).name} images cannot be read here`);
  if (isWhole(plan, info) && reader.size <= largestWhole) return { way: "stored" };
  const reading = await readingOf(plan, { reader, info, decoder, signal });
  const found = reading === undefined ? {} : { reading };
  const means = toolsOf(plan, { info, file: reader, decoder });
  const reasons: Partial<Record<keyof typeof keyOf, string>> = {};
  for (const way of ways) {
    const { name } = way;
    const reason =
      way.whyNot(plan, means) ??
      (reading && way.whyNotIn?.(reading)) ??
      (way.isFree ? await whyNotFound(way.answer(plan, means), reader, signal) : undefined);
    if (reason === undefined || name === "drawn") return { way: name, ...named(reasons), ...found };
    reasons[name] = reason;
  }
  return { way: "drawn", ...named(reasons), ...found };
};

/** Only the bytes of stored data show whether it is the response. */
const whyNotFound = async (
  answer: Steps<Uint8Array | undefined> | undefined,
  reader: RangeReader,
  signal: AbortSignal,
): Promise<string | undefined> =>
  (answer && (await complete(answer, reader, signal))) === undefined
    ? "the stored data is not such an image by itself"
    : undefined;

const keyOf = { stored: "notStored", recoded: "notRecoded", scaled: "notScaled" } as const;

const named = (
  reasons: Readonly<Partial<Record<keyof typeof keyOf, string>>>,
): Omit<PlanExplanation, "way" | "reading"> =>
  Object.fromEntries(
    Object.entries(reasons).map(([way, reason]) => [keyOf[way as keyof typeof keyOf], reason]),
  );

const pageOf = (plan: Plan, { pages }: ImageInfo): Page => pages[plan.page] ?? pages[0];

const readingOf = async (
  plan: Plan,
  { reader, info, decoder, signal }: Readable,
): Promise<DecodingOptions | undefined> => {
  const page = pageOf(plan, info);
  const reduces = plan.size.width < plan.crop.width || plan.size.height < plan.crop.height;
  const want = wantOf(plan, page, {
    apron: plan.sharpen > 0 ? sharpenApron : 0,
    reach: reachOf(reduces ? plan.downscaleFilter : plan.upscaleFilter),
  });
  const wanted = {
    window: windowOf(want, page, plan.page),
    part: partOf(plan, info),
  };
  return decoder.explain?.(reader, info, wanted, plan, signal);
};
