import type { Job, Steps } from "../../../core/steps.ts";
import { encoded, type TileThreads } from "../../fast-jpeg/index.ts";
import { carriedFields, type StoredLevel, type TiffFile, tags } from "../structure/index.ts";

/** The level that a JPEG is made of, and the threads that make it. */
export interface Recoding {
  readonly file: TiffFile;
  readonly level: StoredLevel;
  readonly threads: TileThreads;
}

/**
 * The JPEG that the job makes of what was read, with the level's profile where `profiled`;
 * undefined where `reading` returns undefined, and where libvips has to make it.
 */
export function* recoded<T>(
  { file, level }: Pick<Recoding, "file" | "level">,
  { profiled }: { readonly profiled: boolean },
  reading: Steps<T | undefined>,
  jobOf: (read: T) => Job<Uint8Array>,
): Steps<Uint8Array | undefined> {
  // Before the tiles: those may be in memory that is only valid until they are rendered.
  const fields = profiled ? yield* carriedFields(file, level) : [];
  const profile = fields.find(({ tag }) => tag === tags.iccProfile)?.bytes;
  if (profiled && profile === undefined) return undefined;
  const read = yield* reading;
  return read === undefined ? undefined : yield* encoded(jobOf(read), profile);
}
