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
  const asked = caret && text.startsWith("^");
  const form = readForm(asked ? text.slice(1) : text, syntax.sizeKeywords);
  if (form === undefined || (asked && form.kind === "full")) {
    const words = syntax.sizeKeywords.join("; ");
    const hint = caret ? " (^ before it to enlarge)" : "";
    return fail(
      "malformed",
      `size: expected ${words}; w,h; w,; ,h; !w,h or pct:n with numbers above 0${hint}, got ${quoted(text)}`,
    );
  }
  return asked ? { ...form, upscale: true, asked } : { ...form, upscale: !caret };
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

type Form<S = SizeSpec> = S extends unknown ? Omit<S, "upscale" | "asked"> : never;

const readForm = (text: string, keywords: readonly string[]): Form | undefined => {
  if (text === "full" || text === "max")
    return keywords.includes(text) ? { kind: text } : undefined;
  if (text.startsWith("pct:")) {
    const percent = parseDecimal(text.slice(4));
    return percent ? { kind: "percent", percent } : undefined;
  }
  return text.startsWith("!") ? readSides(text.slice(1), "within") : readSides(text, "exact");
};

const readSides = (text: string, kind: "exact" | "within"): Form | undefined => {
  const comma = text.indexOf(",");
  if (comma < 0) return undefined;
  const width = pixelsIn(text, 0, comma);
  const height = pixelsIn(text, comma + 1, text.length);
  if (width && height) return { kind, width, height };
  if (kind === "within") return undefined;
  if (width && comma === text.length - 1) return { kind: "width", width };
  return height && comma === 0 ? { kind: "height", height } : undefined;
};
