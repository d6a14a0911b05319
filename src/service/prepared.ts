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
}

/**
 * Runs work on the prepared request's image; throws `SourceChanged` where it was replaced
 * meanwhile, `denied` where it may not be read.
 */
export const withReader = async <T>(
  { image }: Prepared,
  signal: AbortSignal,
  work: (reader: RangeReader) => Promise<T>,
): Promise<T> => useReader(await image.object.open(signal), work);
