import type { Overlay } from "../core/overlay.ts";

/**
 * Several overlays as one, lowest first; undefined for none. In `context.operations` it is the
 * lowest.
 */
export const stackOverlays = (overlays: readonly Overlay[]): Overlay | undefined => {
  const [lowest, ...others] = overlays;
  if (lowest === undefined || others.length === 0) return lowest;
  return {
    ...lowest,
    key: JSON.stringify(overlays.map(({ key }) => key)),
    async marks(canvas, signal) {
      const marks = await Promise.all(overlays.map((one) => one.marks(canvas, signal)));
      return marks.flat();
    },
  };
};
