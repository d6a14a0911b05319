import type { Cover, PlacedOverlay } from "../core/cover.ts";
import { fail } from "../core/errors.ts";
import { type Rect, sameSize } from "../core/geometry.ts";
import { type Page, pageOf } from "../core/info.ts";
import type { Overlay } from "../core/overlay.ts";
import { planKey } from "../core/plan.ts";
import { canvasOf, marksOn } from "../render/overlay.ts";
import { redactionsOn } from "../render/redaction.ts";
import type { Prepared } from "./prepared.ts";

/** The parts of an image to be hidden. */
export interface HiddenParts {
  /** To be blacked out, in pixels of the upright page; may extend beyond it. */
  readonly redactions?: readonly Rect[];
  readonly overlay?: Overlay;
}

/**
 * The same request with parts of its image hidden, under a key of its own; plan and key are
 * unchanged where nothing visible is touched. Preparing it again hides the same parts; throws
 * `busy` if the page then has another size than the redactions were made for. Throws what the
 * overlay throws.
 */
export const covered = async (
  prepared: Prepared,
  hiding: HiddenParts,
  signal: AbortSignal,
): Promise<Prepared> => {
  const { again } = prepared;
  const cover = await coverOf(prepared, hiding, signal);
  const plan = cover && { ...prepared.plan, cover };
  return {
    ...prepared,
    ...(plan && { plan, key: planKey(plan) }),
    ...(again && {
      again: async () => covered(alike(await again(), prepared, hiding), hiding, signal),
    }),
  };
};

const coverOf = async (
  prepared: Prepared,
  { redactions = [], overlay }: HiddenParts,
  signal: AbortSignal,
): Promise<Cover | undefined> => {
  const touching = redactionsOn(redactions, prepared.plan, pageFor(prepared));
  const placed = overlay && (await place(overlay, prepared, signal));
  return touching.length === 0 && placed === undefined
    ? undefined
    : { redactions: touching, ...(placed && { overlay: placed }) };
};

/** The overlay where the image shows any of it, else undefined. */
const place = async (
  overlay: Overlay,
  { resolution }: Prepared,
  signal: AbortSignal,
): Promise<PlacedOverlay | undefined> => {
  const { key, operation, placed } = overlay;
  const canvas = canvasOf(resolution, placed);
  const marks = marksOn(await overlay.marks(canvas, signal), canvas);
  return marks.length === 0 ? undefined : { key, operation, marks };
};

const pageFor = ({ plan, image }: Prepared): Page =>
  pageOf(image.info, plan.page) ?? image.info.pages[0];

/** The new preparation, if the redactions of the old one fit it. */
const alike = (fresh: Prepared, before: Prepared, { redactions = [] }: HiddenParts): Prepared => {
  const [page, other] = [pageFor(fresh), pageFor(before)];
  const isAlike = sameSize(page.size, other.size) && page.orientation === other.orientation;
  if (redactions.length > 0 && !isAlike)
    fail("busy", "The image was replaced during the request; try again.");
  return fresh;
};
