import { fail } from "../core/errors.ts";
import { round, type Size, upright } from "../core/geometry.ts";
import type { Constraint } from "../core/identifier.ts";
import type { ImageInfo, Page } from "../core/info.ts";

/** A page as clients see it: upright, and no larger than its scale constraint allows. */
export interface Offer {
  /** What info.json gives as width and height. */
  readonly size: Size;
  /** The upright page in full. */
  readonly full: Size;
  /** The constraint as a number: 0 < share ≤ 1. */
  readonly share: number;
}

/** A page of an image, counted from 1; throws `missing` where the image has no such page. */
export const pageAt = ({ pages }: ImageInfo, page: number): Page =>
  pages[page - 1] ??
  fail("missing", `page: expected one from 1 to ${pages.length} in this image, got ${page}`);

/** How a page is offered under a constraint. */
export const offer = (page: Page, { numerator, denominator }: Constraint): Offer => {
  const full = upright(page.size, page.orientation);
  const side = (length: number): number => Math.max(1, round((length * numerator) / denominator));
  return {
    size: { width: side(full.width), height: side(full.height) },
    full,
    share: numerator / denominator,
  };
};
