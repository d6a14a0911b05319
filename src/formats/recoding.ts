import { ServerError } from "../core/errors.ts";
import type { Plan } from "../core/plan.ts";
import type { Effect, Job, Steps } from "../core/steps.ts";
import { withProfile } from "./jpeg-segments.ts";
import type { TiffFile } from "./tiff-directory.ts";
import { carriedFields } from "./tiff-fields.ts";
import type { StoredLevel } from "./tiff-pages.ts";
import { tags } from "./tiff-tags.ts";
import type { TileJob } from "./tile-job.ts";
import type { TileThreads } from "./tile-threads.ts";

/** The level that a JPEG is made of, and who makes it. */
export interface Recoding {
  readonly file: TiffFile;
  readonly level: StoredLevel;
  readonly threads: TileThreads;
}

/** How the encoder of tiles is to encode a plan, but for what `whyNotRecoded` finds; undefined where it is not said. */
export const encodingFor = ({
  encoding: { quality, subsampling },
}: Plan): Pick<TileJob, "quality" | "subsampling"> | undefined => {
  if (typeof quality !== "number") return undefined;
  return { quality, subsampling: subsampling === "4:4:4" ? "4:4:4" : "4:2:0" };
};

/**
 * The JPEG that the job makes of what was read, with the level's profile where that is wanted; undefined where nothing is
 * read, and where libvips has to draw it.
 */
export function* recoded<T>(
  { file, level }: Pick<Recoding, "file" | "level">,
  { profiled }: { readonly profiled: boolean },
  reading: Steps<T | undefined>,
  jobOf: (read: T) => Job<Uint8Array>,
): Steps<Uint8Array | undefined> {
  // Before the tiles: those may lie in memory that lasts only until they are drawn.
  const fields = profiled ? yield* carriedFields(file, level) : [];
  const profile = fields.find(({ tag }) => tag === tags.iccProfile)?.bytes;
  if (profiled && profile === undefined) return undefined;
  const read = yield* reading;
  if (read === undefined) return undefined;
  const effect: Effect = { kind: "work", job: jobOf(read) };
  try {
    const jpeg = (yield effect) as Uint8Array;
    return profile ? withProfile(jpeg, profile) : jpeg;
  } catch (error) {
    // What these threads cannot read, or whether they are there at all, libvips has the last word.
    if (error instanceof ServerError && usual.has(error.failure)) return undefined;
    throw error;
  }
}

const usual: ReadonlySet<string> = new Set(["unreadable", "internal"]);
