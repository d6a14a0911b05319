import { fail } from "../core/errors.ts";
import { round, type Size, upright } from "../core/geometry.ts";
import type { Constraint, MetaIdentifier } from "../core/identifier.ts";
import { type ImageInfo, type Page, pageOf } from "../core/info.ts";

/** A page as offered to clients: upright, and no larger than its scale constraint allows. */
export interface OfferedPage {
  /** What info.json gives as width and height. */
  readonly size: Size;
  /** The upright page in full. */
  readonly full: Size;
  /** The constraint as a number: 0 < share ≤ 1. */
  readonly share: number;
}

type PageNamed = Pick<MetaIdentifier, "page" | "first">;

/**
 * The page that an identifier names, counted from 0; of a video, the second, its start where none
 * is named.
 */
export const pageIndex = ({ seconds }: ImageInfo, { page, first }: PageNamed): number => {
  if (seconds === undefined) return page - 1;
  return page === 1 && !first ? 0 : page;
};

/**
 * The page that an identifier names; throws `missing`, or the given `failure`, where the image has
 * no such page, or a video has ended by then.
 */
export const pageAt = (
  info: ImageInfo,
  named: PageNamed,
  failure: "missing" | "malformed" = "missing",
): Page => {
  const { pages, seconds, endsBy } = info;
  const page = pageOf(info, pageIndex(info, named));
  if (page) return page;
  return seconds === undefined
    ? fail(failure, `page: expected one from 1 to ${pages.length} in this image, got ${named.page}`)
    : fail(
        failure,
        `page: expected a second of this video, which lasts ${seconds === "unknown" ? `less than ${endsBy}` : seconds}, got ${named.page}`,
      );
};

/** How a page is offered under a constraint. */
export const offer = (page: Page, { numerator, denominator }: Constraint): OfferedPage => {
  const full = upright(page.size, page.orientation);
  const side = (length: number): number => Math.max(1, round((length * numerator) / denominator));
  return {
    size: { width: side(full.width), height: side(full.height) },
    full,
    share: numerator / denominator,
  };
};
