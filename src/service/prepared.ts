import type { Plan } from "../core/plan.ts";
import { type RangeReader, useReader } from "../core/range-reader.ts";
import type { Resolution } from "../iiif/version.ts";
import type { KnownImage } from "./known.ts";

/** A request that can be met, settled down to the last pixel, with nothing drawn yet. */
export interface Prepared {
  readonly plan: Plan;
  readonly resolution: Resolution;
  readonly image: KnownImage;
  /** The derivative's cache key; also what its ETag is made of. */
  readonly key: string;
  /** The same request settled again, for when the stored image was replaced since. */
  readonly again?: () => Promise<Prepared>;
}

/**
 * Reads the image of what was prepared; throws `SourceChanged` where it was replaced meanwhile,
 * `denied` where it may not be read.
 */
export const withReader = async <T>(
  { image }: Prepared,
  signal: AbortSignal,
  work: (reader: RangeReader) => Promise<T>,
): Promise<T> => useReader(await image.object.open(signal), work);
