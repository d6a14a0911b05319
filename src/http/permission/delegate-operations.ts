import type { DelegateContext } from "../../core/delegate.ts";
import type { FormatName } from "../../core/formats.ts";
import { asUpright, type Rect, type Size, upright } from "../../core/geometry.ts";
import { type ImageInfo, pageOf } from "../../core/info.ts";
import type { Plan } from "../../core/plan.ts";
import type { ImageRequest, Region, SizeSpec } from "../../core/request.ts";
import { factsOf } from "../../formats/registry.ts";

type Operations = NonNullable<DelegateContext["operations"]>;
type Operation = Operations[number];

/** The operations of a response as Cantaloupe lists them: only those with an effect, in order. */
export const operationsOf = (request: ImageRequest, plan: Plan, info: ImageInfo): Operations => {
  const page = pageOf(info, plan.page);
  const full = page ? upright(page.size, plan.orientation) : plan.crop;
  const { crop, size, orientation } = plan;
  const crops = crop.width !== full.width || crop.height !== full.height;
  const scales = size.width !== crop.width || size.height !== crop.height;
  return [
    ...(crops ? [cropping(request.region, crop)] : []),
    ...(scales ? [scaling(request.size, size)] : []),
    ...(plan.mirror ? [{ class: "Transpose", axis: "horizontal" }] : []),
    ...(plan.rotation > 0 ? [{ class: "Rotate", degrees: plan.rotation }] : []),
    ...(plan.quality === "gray" || plan.quality === "bitonal"
      ? [{ class: "ColorTransform", type: plan.quality }]
      : []),
    ...(plan.cover?.redactions ?? []).map((rect) =>
      redaction(page ? asUpright(rect, page.size, orientation) : rect),
    ),
    ...(plan.sharpen > 0 ? [{ class: "Sharpen", amount: plan.sharpen }] : []),
    ...(plan.cover?.overlay ? [plan.cover.overlay.operation] : []),
    encoding(plan),
  ];
};

const cropClasses: Readonly<Record<Region["kind"], string>> = {
  full: "CropByPixels",
  square: "CropToSquare",
  pixels: "CropByPixels",
  percent: "CropByPercent",
};

const cropping = ({ kind }: Region, { x, y, width, height }: Rect): Operation => ({
  class: cropClasses[kind],
  x,
  y,
  width,
  height,
});

const redaction = ({ x, y, width, height }: Rect): Operation => ({
  class: "Redaction",
  x,
  y,
  width,
  height,
});

const scaling = ({ kind }: SizeSpec, { width, height }: Size): Operation => ({
  class: kind === "percent" ? "ScaleByPercent" : "ScaleByPixels",
  width,
  height,
});

/** Formats without transparency, whose images get a background. */
const opaque: ReadonlySet<FormatName> = new Set<FormatName>(["jpg"]);

const encoding = ({ format, background, encoding: settings, deep, xmp }: Plan): Operation => ({
  class: "Encode",
  ...(opaque.has(format) ? { background_color: hexOf(background) } : {}),
  format: factsOf(format).mediaTypes[0],
  interlace: settings["progressive"] === true,
  quality: typeof settings["quality"] === "number" ? settings["quality"] : 0,
  max_sample_size: deep ? 16 : 8,
  ...(xmp === undefined ? {} : { metadata: xmp }),
});

const hexOf = (channels: readonly number[]): string =>
  `#${channels
    .map((value) => value.toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase()}`;
