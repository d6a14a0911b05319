import type { Plan } from "../../core/plan.ts";

type Encoding = Plan["encoding"];

/** An encoding option that is on or off; off where it is not said. */
export const flag = (encoding: Encoding, name: string): boolean => encoding[name] === true;

/** An encoding option that is a word; empty where it is not said. */
export const named = (encoding: Encoding, name: string): string => String(encoding[name] ?? "");

/** An encoding option that is a number. */
export const number = (encoding: Encoding, name: string, otherwise: number): number => {
  const value = encoding[name];
  return typeof value === "number" ? value : otherwise;
};
