import { fail } from "../core/errors.ts";
import { type ImageInfo, type Page, pageOf } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { Timings } from "../core/timings.ts";
import { factsOf } from "../formats/registry.ts";
import type { Decoder, Encoder, FileSize, LevelPart } from "../formats/shared/index.ts";
import type { EmbeddedBlocks } from "../formats/write/embedding/index.ts";
import { partOrReason } from "./direct.ts";
import type { Overview } from "./overview.ts";

/** The decoder, encoder and settings for executing a plan. */
export interface PlanTools {
  readonly info: ImageInfo;
  readonly file: FileSize;
  /** The result of `partOrReason`, computed once for all ways that use it. */
  readonly part: LevelPart | string;
  /** Of the image's format; absent where it cannot be read. */
  readonly decoder?: Decoder | undefined;
  /** Of the plan's format; absent where it cannot be written. */
  readonly encoder?: Encoder | undefined;
  readonly timings?: Timings | undefined;
  /** The page scaled already, which the result is cut from; absent: it is read and scaled. */
  readonly overview?: Overview | undefined;
  /** The cached metadata to write into responses; absent: it is read each time. */
  readonly preserved?: Preserved | undefined;
}

/** A file's cached metadata. */
export interface Preserved {
  /** Undefined where it has to be read first. */
  readonly kept: EmbeddedBlocks | undefined;
  /** Throws what the reader throws, or the signal's reason. */
  read(reader: RangeReader, signal: AbortSignal): Promise<EmbeddedBlocks>;
}

/** Collects the tools for executing a plan. */
export const toolsOf = (
  plan: Plan,
  { info, file, decoder, encoder, timings, preserved }: Omit<PlanTools, "part" | "overview">,
): PlanTools => ({
  info,
  file,
  part: partOrReason(plan, info),
  decoder,
  encoder,
  timings,
  preserved,
});

/**
 * The tools for rendering a plan. Throws `unimplemented` where the image's format cannot be read or
 * the requested one not written, `missing` where the image has no such page.
 */
export const drawableOf = (
  plan: Plan,
  { info, decoder, encoder }: PlanTools,
): { readonly decoder: Decoder; readonly encoder: Encoder; readonly page: Page } => {
  const page = pageOf(info, plan.page);
  if (!decoder)
    return fail("unimplemented", `${factsOf(info.format).name} images cannot be read here`);
  if (!encoder) return fail("unimplemented", `${factsOf(plan.format).name} cannot be written here`);
  if (!page)
    return fail(
      "missing",
      `Expected a page from 1 to ${info.pages.length}, or a second of a video, got ${plan.page + 1}`,
    );
  return { decoder, encoder, page };
};
