import { ServerError } from "../core/errors.ts";
import type { Plan } from "../core/plan.ts";
import type { LevelPart } from "./codec.ts";
import { withProfile } from "./jpeg-segments.ts";
import { isDirect, readForThreads } from "./tiff-direct.ts";
import type { TiffFile } from "./tiff-directory.ts";
import { carriedFields } from "./tiff-fields.ts";
import type { StoredLevel } from "./tiff-pages.ts";
import { tags } from "./tiff-tags.ts";
import type { TileThreads } from "./tile-threads.ts";

/** The level that a part is of, and who draws it. */
export interface Recoding {
  readonly file: TiffFile;
  readonly level: StoredLevel;
  readonly threads: TileThreads;
  readonly seconds: number;
}

/** A JPEG of a part of a level as the plan's encoding has it; undefined where libvips has to draw it. */
export const recodePart = async (
  { file, level, threads, seconds }: Recoding,
  { region, profiled }: LevelPart,
  { encoding }: Plan,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> => {
  const { quality, progressive, optimise, subsampling } = encoding;
  // Neither of these does the encoder of tiles.
  const isPlain = progressive !== true && optimise !== true;
  if (!isPlain || typeof quality !== "number" || !isDirect(level)) return undefined;
  const read = await readForThreads(file, level, { region, seconds, signal });
  if (read === undefined) return undefined;
  const fields = profiled ? await carriedFields(file, level, signal) : [];
  const profile = fields.find(({ tag }) => tag === tags.iccProfile)?.bytes;
  if (profiled && profile === undefined) return undefined;
  try {
    const colour = subsampling === "4:4:4" ? "4:4:4" : "4:2:0";
    const jpeg = await threads.draw({ ...read, quality, subsampling: colour }, signal);
    return profile ? withProfile(jpeg, profile) : jpeg;
  } catch (error) {
    // What these threads cannot read, or whether they are there at all, libvips has the last word.
    if (error instanceof ServerError && usual.has(error.failure)) return undefined;
    throw error;
  }
};

const usual: ReadonlySet<string> = new Set(["unreadable", "internal"]);
