import type { Size } from "../core/geometry.ts";

/** The coverage of each pixel, 0 to 255, row by row. */
export interface Coverage extends Size {
  readonly data: Uint8Array;
}

/**
 * The coverage of a round pen with a radius in pixels (may be a fraction) whose centre visits
 * everything that is covered: with round joins.
 */
export const grown = (coverage: Coverage, radius: number): Coverage => {
  const { data, width, height } = coverage;
  const into = Uint8Array.from(data);
  const pen = penOf(radius);
  data.forEach((value, at) => {
    if (value === 0) return;
    const x = at % width;
    const y = (at - x) / width;
    if (!isInside(coverage, x, y)) dab({ data: into, width, height }, pen, { x, y, value });
  });
  return { data: into, width, height };
};

const dab = (
  { data, width, height }: Coverage,
  pen: readonly Dab[],
  { x, y, value }: { readonly x: number; readonly y: number; readonly value: number },
): void => {
  for (const { across, down, weight } of pen) {
    const column = x + across;
    const row = y + down;
    if (column < 0 || row < 0 || column >= width || row >= height) continue;
    const at = row * width + column;
    data[at] = Math.max(data[at] as number, value * weight);
  }
};

/**
 * Whether a pixel and its neighbours are wholly covered: a pen there reaches nothing that its
 * neighbours do not.
 */
const isInside = ({ data, width, height }: Coverage, x: number, y: number): boolean => {
  if (x === 0 || y === 0 || x === width - 1 || y === height - 1) return false;
  const at = y * width + x;
  return (
    data[at] === 255 &&
    data[at - 1] === 255 &&
    data[at + 1] === 255 &&
    data[at - width] === 255 &&
    data[at + width] === 255
  );
};

interface Dab {
  readonly across: number;
  readonly down: number;
  readonly weight: number;
}

const penOf = (radius: number): readonly Dab[] => {
  const reach = Math.ceil(radius);
  const dabs: Dab[] = [];
  for (let down = -reach; down <= reach; down++)
    for (let across = -reach; across <= reach; across++) {
      const weight = Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(across, down)));
      if (weight > 0) dabs.push({ across, down, weight });
    }
  return dabs;
};

/** A band of a width on both sides of an outline: the coverage of a pen that follows it. */
export const outlined = (coverage: Coverage, strokeWidth: number): Coverage => {
  const radius = strokeWidth / 2;
  const outside = grown(coverage, radius).data;
  const beyond = grown(
    { ...coverage, data: coverage.data.map((value) => 255 - value) },
    radius,
  ).data;
  return { ...coverage, data: outside.map((value, n) => Math.min(value, beyond[n] as number)) };
};
