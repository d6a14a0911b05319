import type { Plan } from "../../core/plan.ts";

type Encoding = Plan["encoding"];

/** A boolean encoding option; false where absent. */
export const flag = (encoding: Encoding, name: string): boolean => encoding[name] === true;

/** A text encoding option; empty where absent. */
export const named = (encoding: Encoding, name: string): string => String(encoding[name] ?? "");

/** A numeric encoding option. */
export const number = (encoding: Encoding, name: string, otherwise: number): number => {
  const value = encoding[name];
  return typeof value === "number" ? value : otherwise;
};
