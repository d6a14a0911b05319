import type { Cover } from "../core/cover.ts";
import type { Overlay } from "../core/overlay.ts";
import { planKey } from "../core/plan.ts";
import { canvasOf, marksOn } from "../render/overlay.ts";
import type { Prepared } from "./prepared.ts";

/** What is to hide parts of a picture. */
export interface Hiding {
  readonly overlay?: Overlay;
}

/**
 * The same request with parts of its picture hidden, under a key of its own; as it was where nothing touches what it shows.
 * Throws what the overlay throws.
 */
export const covered = async (
  prepared: Prepared,
  hiding: Hiding,
  signal: AbortSignal,
): Promise<Prepared> => {
  const { again } = prepared;
  const cover = await coverOf(prepared, hiding, signal);
  const plan = cover === undefined ? prepared.plan : { ...prepared.plan, cover };
  return {
    ...prepared,
    plan,
    key: planKey(plan),
    ...(again && { again: async () => covered(await again(), hiding, signal) }),
  };
};

const coverOf = async (
  { resolution }: Prepared,
  { overlay }: Hiding,
  signal: AbortSignal,
): Promise<Cover | undefined> => {
  if (overlay === undefined) return undefined;
  const { key, operation } = overlay;
  const canvas = canvasOf(resolution, overlay.placed);
  const marks = marksOn(await overlay.marks(canvas, signal), canvas);
  return marks.length === 0 ? undefined : { redactions: [], overlay: { key, operation, marks } };
};
