import type { FormatName } from "../core/formats.ts";
import { area, sameSize, upright } from "../core/geometry.ts";
import type { ImageInfo } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { RangeReader } from "../core/range-reader.ts";

/** Formats whose files are answers as they are: those Cantaloupe writes, and WebP. */
const whole: ReadonlySet<FormatName> = new Set<FormatName>(["jpg", "png", "gif", "tif", "webp"]);

/** Larger files wait for their turn among large pictures. */
const largestAtOnce = 16_777_216;

/** Still larger ones are drawn: their bytes would be held for as long as clients take to fetch them. */
const largest = 67_108_864;

/**
 * Whether a plan wants all of an image's first page in the file's own format, with nothing done to it, where
 * such files are sent as they are. How the page is stored turned does not matter: the file says it itself.
 */
export const isWhole = (plan: Plan, { format, pages }: ImageInfo): boolean => {
  const [page] = pages;
  if (!plan.whole || plan.format !== format || !whole.has(format) || plan.page !== 0) return false;
  const full = upright(page.size, page.orientation);
  return (
    !plan.mirror &&
    plan.rotation === 0 &&
    plan.quality === "default" &&
    plan.sharpen === 0 &&
    plan.colour === "keep" &&
    area(plan.crop) === area(full) &&
    sameSize(plan.size, full)
  );
};

/** The file itself, where the plan wants just that and it is small enough to be sent at once. */
export const wholeFile = (
  plan: Plan,
  reader: RangeReader,
  info: ImageInfo,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> => bytesOf(plan, reader, info, signal, largestAtOnce);

/** As `wholeFile`, of larger files too, for those whose turn has come. */
export const largeWholeFile = (
  plan: Plan,
  reader: RangeReader,
  info: ImageInfo,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> => bytesOf(plan, reader, info, signal, largest);

const bytesOf = async (
  plan: Plan,
  reader: RangeReader,
  info: ImageInfo,
  signal: AbortSignal,
  most: number,
): Promise<Uint8Array | undefined> =>
  isWhole(plan, info) && reader.size <= most ? reader.read(0, reader.size, signal) : undefined;
