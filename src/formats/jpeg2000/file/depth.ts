import type { Depth } from "../../shared/index.ts";
import type { Component, Plane } from "../codestream/index.ts";
import type { Channel } from "./channels.ts";

/** The format of a stored number. */
type Stored = Pick<Component, "precision" | "signed">;

/**
 * Converts a component's sample to a channel's value, from 0 for the minimum to 2^depth - 1 for the
 * maximum.
 */
export type ToDepth = (sample: number) => number;

/**
 * Scales samples of `precision` bits so that black stays black and white white; signed ones are
 * shifted by half their range first, and palette indexes looked up.
 */
export const toDepth = ({ column }: Channel, plane: Stored, depth: Depth): ToDepth => {
  if (column === undefined) return tabled(plane, scaled(plane, depth));
  const scale = scaled(column, depth);
  const values = column.values.map((value) => scale(value));
  const last = values.length - 1;
  const min = minOf(plane);
  return (sample) => values[Math.min(sample - min, last)] ?? 0;
};

/** Whether samples are used unchanged. */
export const isUnchanged = ({ column }: Channel, plane: Plane, depth: Depth): boolean =>
  column === undefined && !plane.signed && plane.precision === depth;

const minOf = ({ precision, signed }: Stored): number => (signed ? -(2 ** (precision - 1)) : 0);

const scaled = (stored: Stored, depth: Depth): ToDepth => {
  const { precision } = stored;
  const [min, top] = [minOf(stored), 2 ** depth - 1];
  const factor = top / (2 ** precision - 1);
  return (sample) => Math.floor((sample - min) * factor + 0.5);
};

/** Up to this many bits a table is faster than computing each sample. */
const maxTabled = 12;

const tabled = (stored: Stored, of: ToDepth): ToDepth => {
  const { precision } = stored;
  if (precision > maxTabled) return of;
  const min = minOf(stored);
  const values = Uint16Array.from({ length: 2 ** precision }, (_, index) => of(index + min));
  return (sample) => values[sample - min] ?? 0;
};
