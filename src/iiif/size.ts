import { fail } from "../core/errors.ts";
import { fitWithin, type Size, toHeight, toWidth } from "../core/geometry.ts";
import { quoted } from "../core/identifier.ts";
import type { SizeSpec } from "../core/request.ts";
import { enlarged, largest, type SizeBounds } from "./bounds.ts";
import { parseDecimal, pixelsIn } from "./numbers.ts";
import { percentOf } from "./region.ts";
import type { Syntax } from "./version.ts";

/** Parses the decoded size segment (3.0 §4.2); throws `malformed`. */
export const parseSize = (
  text: string,
  syntax: Pick<Syntax, "sizeKeywords" | "upscaling">,
): SizeSpec => {
  const caret = syntax.upscaling === "caret";
  const asked = caret && text.startsWith("^") ? true : undefined;
  const enlarging: Enlarging = { upscale: asked ?? !caret, asked };
  const spec = readForm(asked ? text.slice(1) : text, syntax.sizeKeywords, enlarging);
  if (spec === undefined || (asked && spec.kind === "full")) {
    const words = syntax.sizeKeywords.join("; ");
    const hint = caret ? " (^ before it to enlarge)" : "";
    return fail(
      "malformed",
      `size: expected ${words}; w,h; w,; ,h; !w,h or pct:n with numbers above 0${hint}, got ${quoted(text)}`,
    );
  }
  return spec;
};

/** The requested size of a region, before any limit but those that a form applies by itself. */
export const measure = (spec: SizeSpec, crop: Size, bounds: SizeBounds): Size => {
  switch (spec.kind) {
    case "full":
      return { width: crop.width, height: crop.height };
    case "max":
      return spec.asked ? enlarged(crop, bounds) : largest(crop, bounds);
    case "percent":
      return {
        width: percentOf(crop.width, spec.percent),
        height: percentOf(crop.height, spec.percent),
      };
    case "width":
      return toWidth(crop, spec.width);
    case "height":
      return toHeight(crop, spec.height);
    case "exact":
      return { width: spec.width, height: spec.height };
    case "within": {
      if (bounds.refuses) return fitWithin(crop, spec);
      // Best fit without ^ never enlarges (3.0 §4.2); 2.1 and 1.1 leave it open.
      const max = spec.asked ? enlarged(crop, bounds) : largest(crop, bounds);
      const fitted = fitWithin(crop, spec);
      return fitted.width <= max.width && fitted.height <= max.height ? fitted : max;
    }
  }
};

/** Whether a size may enlarge. Objects list their fields: spreading took 1 % of a tile. */
type Enlarging = Pick<SizeSpec, "upscale" | "asked">;

const readForm = (
  text: string,
  keywords: readonly string[],
  enlarging: Enlarging,
): SizeSpec | undefined => {
  const { upscale, asked } = enlarging;
  if (text === "full" || text === "max")
    return keywords.includes(text) ? { kind: text, upscale, asked } : undefined;
  if (text.startsWith("pct:")) {
    const percent = parseDecimal(text.slice(4));
    return percent ? { kind: "percent", percent, upscale, asked } : undefined;
  }
  return text.startsWith("!")
    ? readSides(text.slice(1), "within", enlarging)
    : readSides(text, "exact", enlarging);
};

const readSides = (
  text: string,
  kind: "exact" | "within",
  { upscale, asked }: Enlarging,
): SizeSpec | undefined => {
  const comma = text.indexOf(",");
  if (comma < 0) return undefined;
  const width = pixelsIn(text, 0, comma);
  const height = pixelsIn(text, comma + 1, text.length);
  if (width && height) return { kind, width, height, upscale, asked };
  if (kind === "within") return undefined;
  if (width && comma === text.length - 1) return { kind: "width", width, upscale, asked };
  return height && comma === 0 ? { kind: "height", height, upscale, asked } : undefined;
};
