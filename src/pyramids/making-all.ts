import type { Plan } from "../core/plan.ts";
import type { KnownImage } from "../service/known.ts";
import type { PyramidsMade } from "../service/pyramids.ts";
import type { Demand, PlannedPage } from "./demand.ts";
import type { KnownPyramids } from "./known-pyramids.ts";
import type { Maker } from "./maker.ts";
import type { Made } from "./making.ts";
import type { OnProgress } from "./queue.ts";

/** An image that needs pyramids. */
export interface WholeImage {
  readonly image: KnownImage;
  /** A plan for the whole page, counted from 0. */
  readonly planOf: (page: number) => Plan;
  readonly nameOf: (planned: PlannedPage) => string;
}

/** Makes the pyramids of all slow pages of an image that have none, one after the other. */
export const makeAll = async (
  { image, planOf, nameOf }: WholeImage,
  {
    demand,
    known,
    maker,
  }: { readonly demand: Demand; readonly known: KnownPyramids; readonly maker: Maker },
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress?: OnProgress },
): Promise<PyramidsMade> => {
  const makeOne = async (page: number, tell: OnProgress): Promise<Made | "unneeded"> => {
    const planned = { plan: planOf(page), image };
    if (!demand.isSlow(planned)) return "unneeded";
    const name = nameOf(planned);
    const entry = await known.search(name, image, signal);
    if (entry.ready) return "there";
    return maker.make({ ...planned, name, entry, retries: true }, { signal, onProgress: tell });
  };
  const pages = image.info.pages.length;
  const done = { made: 0, ready: 0, unneeded: 0 };
  const refused: string[] = [];
  for (let page = 0; page < pages; page++) {
    signal.throwIfAborted();
    const tell = (share: number): void => onProgress?.((page + share) / pages);
    const made = await makeOne(page, tell);
    const reason = made === "purged" ? purged : typeof made === "object" ? made.refused : undefined;
    if (reason !== undefined) refused.push(pages > 1 ? `Page ${page + 1}: ${reason}` : reason);
    else if (made === "made" || made === "unneeded") done[made]++;
    else done.ready++;
    tell(1);
  }
  return { ...done, refused };
};

const purged = "The pyramid was purged while it was being made.";
