import { type Rect, type Size, toUpright, turned } from "../core/geometry.ts";
import type { ResolvedRequest } from "../core/plan.ts";
import { cornersOf } from "./colour.ts";
import type { Step } from "./job.ts";
import type { RemainingResize } from "./picture.ts";
import { readyFor } from "./settle.ts";

/** A mirroring left to right, then quarter turns clockwise. */
export interface Orienting {
  readonly mirror: boolean;
  readonly turns: 0 | 1 | 2 | 3;
}

/** Applies orientation, mirroring and quarter turns in one operation. */
export const turn: Step = async (picture, { plan }) => {
  const { mirror, turns } = turnOf(plan);
  if (!mirror && turns === 0) return picture;
  const { image, size, look, rest } = await readyFor(picture, mirror ? "mirror" : "turn");
  if (mirror) image.flop();
  if (turns !== 0) image.rotate(turns * quarter);
  return {
    image,
    size: turns % 2 === 1 ? { width: size.height, height: size.width } : size,
    pending: turns === 0 ? "mirror" : "turn",
    look,
    ...(rest && { rest: turnRest(rest, size, { mirror, turns }) }),
  };
};

/**
 * Rotates by what remains of the angle after quarter turns; the canvas grows, the content keeps its
 * scale.
 */
export const rotate: Step = async (picture, { plan }) => {
  const angle = plan.rotation % quarter;
  if (angle === 0) return picture;
  const { image, size, look } = await readyFor(picture, "turn");
  return {
    image: image.rotate(angle, { background: cornersOf(plan) }),
    size: turned(size, angle),
    pending: "turn",
    look,
  };
};

const quarter = 90;

/** The combination of orientation, mirroring and quarter turns of the rotation. */
export const turnOf = ({
  orientation,
  mirror,
  rotation,
}: Pick<ResolvedRequest, "orientation" | "mirror" | "rotation">): Orienting => {
  const first = toUpright(orientation);
  // Mirroring a rotated image equals rotating the mirrored one the other way.
  const before = mirror ? 4 - first.turns : first.turns;
  return {
    mirror: first.mirror !== mirror,
    turns: turnsOf(before + Math.floor(rotation / quarter)),
  };
};

const turnsOf = (count: number): Orienting["turns"] => {
  const all = [0, 1, 2, 3] as const;
  return all[count % 4] ?? 0;
};

const turnRest = (
  { window, beyond, inner }: RemainingResize,
  size: Size,
  how: Orienting,
): RemainingResize => {
  const { left, top, right, bottom } = beyond;
  const full: Size = {
    width: window.width + left + right,
    height: window.height + top + bottom,
  };
  const there = turnRect(
    { x: left, y: top, width: window.width, height: window.height },
    full,
    how,
  );
  const after = how.turns % 2 === 1 ? { width: full.height, height: full.width } : full;
  return {
    window: turnRect(window, size, how),
    beyond: {
      left: there.x,
      top: there.y,
      right: after.width - there.x - there.width,
      bottom: after.height - there.y - there.height,
    },
    inner: turnRect(inner, full, how),
  };
};

/** The position of a rectangle after the whole image of a size is rotated. */
export const turnRect = (rect: Rect, size: Size, { mirror, turns }: Orienting): Rect => {
  const x = mirror ? size.width - rect.x - rect.width : rect.x;
  const { y, width, height } = rect;
  switch (turns) {
    case 0:
      return { x, y, width, height };
    case 1:
      return { x: size.height - y - height, y: x, width: height, height: width };
    case 2:
      return { x: size.width - x - width, y: size.height - y - height, width, height };
    case 3:
      return { x: y, y: size.width - x - width, width: height, height: width };
  }
};
