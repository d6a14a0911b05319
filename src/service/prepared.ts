import type { Plan } from "../core/plan.ts";
import { type RangeReader, useReader } from "../core/range-reader.ts";
import type { Resolution } from "../iiif/version.ts";
import type { KnownImage } from "./known.ts";

/** A valid request resolved to pixels, not rendered yet. */
export interface Prepared {
  readonly plan: Plan;
  readonly resolution: Resolution;
  readonly image: KnownImage;
  /** The derivative's cache key; also the base of its ETag. */
  readonly key: string;
  /** Prepares the same request again, for when the stored image was replaced. */
  readonly again?: () => Promise<Prepared>;
  /** A pyramid of the page that is rendered in its place; absent: the page itself is. */
  readonly pyramid?: PagePyramid;
  /** Replaces the plan's encoding, for tiles of the page's pyramid, which may not exist yet. */
  readonly encoding?: Plan["encoding"];
}

/** A pyramid made of one page: upright, its only page, at full size. */
export interface PagePyramid {
  /** With the version of the image it was made of. */
  readonly image: KnownImage;
  /** Discards it, because it cannot be read. */
  discard(cause: unknown): void;
}

/** What is rendered for a prepared request: the page itself, or the pyramid made of it. */
export const renderedFor = ({
  plan,
  image,
  pyramid,
  encoding,
}: Prepared): { readonly plan: Plan; readonly image: KnownImage } => {
  if (pyramid === undefined)
    return { plan: encoding === undefined ? plan : { ...plan, encoding }, image };
  const upright: Plan = {
    ...plan,
    encoding: encoding ?? plan.encoding,
    page: 0,
    orientation: 1,
  };
  return { plan: upright, image: pyramid.image };
};

/**
 * Runs work on the prepared request's image; throws `SourceChanged` where it was replaced
 * meanwhile, `denied` where it may not be read.
 */
export const withReader = async <T>(
  prepared: Prepared,
  signal: AbortSignal,
  work: (reader: RangeReader) => Promise<T>,
): Promise<T> => useReader(await renderedFor(prepared).image.object.open(signal), work);
