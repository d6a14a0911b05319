import type { Plan } from "../core/plan.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { Raster } from "../formats/shared/index.ts";
import { flatten, treat, treatmentOf } from "./colour.ts";
import { blackAndWhite, sharpen, sharpenApron, toGammaEncoded, tone } from "./finish.ts";
import { place, wantOf, windowOf } from "./geometry.ts";
import type { Job, Step } from "./job.ts";
import { drawOverlay } from "./overlay.ts";
import type { Picture } from "./picture.ts";
import { redact } from "./redaction.ts";
import { cut, reachOf, scale, takeWindow, trim } from "./scale.ts";
import { draw } from "./settle.ts";
import { drawableOf, type PlanTools } from "./tools.ts";
import { rotate, turn } from "./turn.ts";

/**
 * The steps in the order that the Image API prescribes: region, size, mirror and rotation, quality.
 * Redactions come before any pixels are mixed, overlays last.
 */
const steps: readonly Step[] = [
  cut,
  redact,
  scale,
  turn,
  takeWindow,
  toGammaEncoded,
  sharpen,
  trim,
  rotate,
  tone,
  blackAndWhite,
  drawOverlay,
];

/** Renders a plan with libvips and encodes it; throws as `render` does. */
export const drawPlan = async (
  plan: Plan,
  means: PlanTools,
  reader: RangeReader,
  signal: AbortSignal,
): Promise<Uint8Array> => {
  const { info, timings } = means;
  const { decoder, encoder, page } = drawableOf(plan, means);
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
    raster,
    placement,
    treatment: treatmentOf(plan, page.colour),
    reduces,
    linear: plan.linear && reduces && placement.scaled !== undefined,
    halves: raster.halves === true,
    signal,
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
  // In linear light a background would be taken for another colour, so it is applied later.
  return {
    image: linear ? treated : flatten(treated, treatment),
    size,
    look: treatment.look,
  };
};
