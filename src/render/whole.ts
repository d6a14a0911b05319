import type { FormatName } from "../core/formats.ts";
import { area, sameSize, upright } from "../core/geometry.ts";
import type { ImageInfo } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import { readOne, type Steps, work } from "../core/steps.ts";
import type { FileSize } from "../formats/shared/index.ts";

/** Formats whose files are sent as they are: those Cantaloupe writes, and WebP. */
const whole: ReadonlySet<FormatName> = new Set<FormatName>(["jpg", "png", "gif", "tif", "webp"]);

/** Larger files are admitted as large images. */
const largestAtOnce = 16_777_216;

/**
 * Files beyond this size are rendered: their bytes would be held for as long as clients take to
 * fetch them.
 */
export const largestWhole = 67_108_864;

/**
 * Whether a plan wants all of an image's first page unchanged in the file's own format, where such
 * files are sent as they are. The stored orientation does not matter: the file contains it.
 */
export const isWhole = (plan: Plan, { format, pages }: ImageInfo): boolean => {
  const [page] = pages;
  if (!plan.whole || plan.format !== format || !whole.has(format) || plan.page !== 0) return false;
  const full = upright(page.size, page.orientation);
  return (
    plan.cover === undefined &&
    plan.xmp === undefined &&
    !plan.mirror &&
    plan.rotation === 0 &&
    plan.quality === "default" &&
    plan.sharpen === 0 &&
    plan.colour === "keep" &&
    area(plan.crop) === area(full) &&
    sameSize(plan.size, full)
  );
};

/**
 * The file itself; by a job, which needs admission, where it is large. Undefined where it should be
 * rendered.
 */
export function* wholeFile({ size: length }: FileSize): Steps<Uint8Array | undefined> {
  if (length > largestWhole) return undefined;
  if (length <= largestAtOnce) return yield* readOne({ offset: 0, length });
  return yield* work({ away: (signal, reader) => reader.read(0, length, signal) });
}
