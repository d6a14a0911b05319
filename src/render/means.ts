import { fail } from "../core/errors.ts";
import { formats } from "../core/formats.ts";
import { type ImageInfo, type Page, pageOf } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { Timings } from "../core/timings.ts";
import type { Decoder, Encoder, FileSize, LevelPart } from "../formats/codec.ts";
import { partOrReason } from "./direct.ts";

/** What a plan is carried out with. */
export interface Means {
  readonly info: ImageInfo;
  readonly file: FileSize;
  /** What `partOrReason` finds, once for all ways that go by it. */
  readonly part: LevelPart | string;
  /** Of the image's format; absent where it cannot be read. */
  readonly decoder?: Decoder | undefined;
  /** Of the plan's format; absent where it cannot be written. */
  readonly encoder?: Encoder | undefined;
  readonly timings?: Timings | undefined;
}

/** What a plan is carried out with. */
export const meansOf = (
  plan: Plan,
  { info, file, decoder, encoder, timings }: Omit<Means, "part">,
): Means => ({ info, file, part: partOrReason(plan, info), decoder, encoder, timings });

/**
 * What a plan is drawn with. Throws `unimplemented` where the image's format cannot be read or the wanted one not written,
 * `missing` where the image has no such page.
 */
export const drawableOf = (
  plan: Plan,
  { info, decoder, encoder }: Means,
): { readonly decoder: Decoder; readonly encoder: Encoder; readonly page: Page } => {
  const page = pageOf(info, plan.page);
  if (!decoder)
    return fail("unimplemented", `${formats[info.format].name} images cannot be read here`);
  if (!encoder) return fail("unimplemented", `${formats[plan.format].name} cannot be written here`);
  if (!page)
    return fail(
      "missing",
      `Expected a page from 1 to ${info.pages.length}, or a second of a video, got ${plan.page + 1}`,
    );
  return { decoder, encoder, page };
};
