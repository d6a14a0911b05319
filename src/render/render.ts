import { fail } from "../core/errors.ts";
import { type FormatName, formats } from "../core/formats.ts";
import { type ImageInfo, pageOf } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { Timings } from "../core/timings.ts";
import type { Codec, Raster } from "../formats/codec.ts";
import { layBackground, treat, treatmentOf } from "./colour.ts";
import { checkedAnswer, recodedAnswer } from "./direct.ts";
import { blackAndWhite, leaveLinear, sharpen, sharpenApron, tone } from "./finish.ts";
import { place, wantOf, windowOf } from "./geometry.ts";
import type { Job, Step } from "./job.ts";
import type { Picture } from "./picture.ts";
import { reachOf, scale, takeWindow, trim } from "./scale.ts";
import { scaledAnswer } from "./scaled.ts";
import { draw } from "./settle.ts";
import { rotate, turn } from "./turn.ts";

/** The steps in the order the Image API prescribes: region, size, mirror and rotation, quality. */
const steps: readonly Step[] = [
  scale,
  turn,
  takeWindow,
  leaveLinear,
  sharpen,
  trim,
  rotate,
  tone,
  blackAndWhite,
];

/**
 * Draws a plan and encodes it. Throws `unreadable` where the image's data is damaged,
 * `unimplemented` where its format cannot be read or the wanted one not written, `late` past the
 * deadline, and the signal's reason once it is aborted.
 */
export const render = async (
  plan: Plan,
  reader: RangeReader,
  info: ImageInfo,
  codecs: Partial<Record<FormatName, Codec>>,
  signal: AbortSignal,
  timings?: Timings,
): Promise<Uint8Array> => {
  const decoder = codecs[info.format]?.decoder;
  const encoder = codecs[plan.format]?.encoder;
  const page = pageOf(info, plan.page);
  if (!decoder)
    return fail("unimplemented", `${formats[info.format].name} images cannot be read here`);
  if (!encoder) return fail("unimplemented", `${formats[plan.format].name} cannot be written here`);
  if (!page)
    return fail(
      "missing",
      `Expected a page from 1 to ${info.pages.length}, or a second of a video, got ${plan.page + 1}`,
    );

  timings?.enter("draw");
  const direct =
    (await checkedAnswer(plan, reader, info, { decoder }, signal)) ??
    (await recodedAnswer(plan, reader, info, { decoder }, signal)) ??
    (await scaledAnswer(plan, reader, info, { decoder }, signal));
  if (direct) return direct;
  const reduces = plan.size.width < plan.crop.width || plan.size.height < plan.crop.height;
  const want = wantOf(plan, page, {
    apron: plan.sharpen > 0 ? sharpenApron : 0,
    reach: reachOf(reduces ? plan.downscaleFilter : plan.upscaleFilter),
  });
  timings?.enter("read");
  const raster = await decoder.read(reader, info, windowOf(want, page, plan.page), plan, signal);
  timings?.enter("draw");
  const placement = place(want, raster);
  const job: Job = {
    plan,
    page,
    placement,
    treatment: treatmentOf(plan, page.colour),
    reduces,
    linear: plan.linear && reduces && placement.scaled !== undefined,
    halves: raster.halves === true,
  };
  let picture = begin(raster, job);
  for (const step of steps) {
    signal.throwIfAborted();
    picture = await step(picture, job);
  }
  signal.throwIfAborted();
  const { image } = picture;
  return draw(() => encoder.encode(image, plan, signal));
};

const begin = ({ image, size }: Raster, { page, treatment, linear }: Job): Picture => {
  const treated = treat(image, treatment, page.colour.bits);
  // In linear light a background would be taken for another colour; it waits until that is over.
  return {
    image: linear ? treated : layBackground(treated, treatment),
    size,
    look: treatment.look,
  };
};
