import type { Rect, Size } from "../../core/geometry.ts";
import type { SvgDocument } from "./document.ts";
import { pixelsOf } from "./size.ts";

/** The part of a document to render. */
export interface SvgPart {
  /** The document's own size, which may be fractional. */
  readonly size: Size;
  /** The scaled size of the whole pixels that it covers. */
  readonly whole: Size;
  /** In pixels of that, inside it. */
  readonly region: Rect;
}

/**
 * A document that shows just a region of another, at exactly the requested size: the other is
 * nested in it, with the viewport that its lengths refer to, and a viewBox around it selects the
 * region.
 */
export const regionDocument = (
  { name, attributes, isEmpty, rest }: SvgDocument,
  { size, whole, region }: SvgPart,
): string => {
  const pixels = pixelsOf(size);
  const across = pixels.width / whole.width;
  const down = pixels.height / whole.height;
  const box = [region.x * across, region.y * down, region.width * across, region.height * down];
  const own = new Map(attributes);
  for (const attribute of ["x", "y"]) own.delete(attribute);
  own.set("width", `${size.width}`);
  own.set("height", `${size.height}`);
  // A style would override the attributes.
  const style = own.get("style");
  if (style !== undefined)
    own.set("style", `${style};width:${size.width}px;height:${size.height}px`);
  // Elements without a namespace must not inherit that of the outer document.
  if (name !== "svg" && !own.has("xmlns")) own.set("xmlns", "");
  const inner = [...own].map(([key, value]) => ` ${key}="${value.replaceAll('"', "&quot;")}"`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${region.width}" height="${region.height}"`,
    ` viewBox="${box.join(" ")}" preserveAspectRatio="none">`,
    `<${name}${inner.join("")}${isEmpty ? "/>" : ">"}${rest}</svg>`,
  ].join("");
};
