import { bytes, duration } from "../format/numbers.ts";
import type { Definition } from "../server/wire.ts";

/**
 * A value in more readable form: bytes with a unit, seconds as a duration. Undefined where that
 * adds nothing, or the value is invalid, which the server judges.
 */
export const meaningOf = (definition: Definition, text: string): string | undefined => {
  const value = text.trim();
  if (definition.type === "bytes") {
    const amount = readBytes(value);
    return amount === undefined || amount < 1024 ? undefined : bytes(amount);
  }
  if (definition.type === "seconds" && /^\d+(?:\.\d+)?$/.test(value)) {
    const seconds = Number(value);
    return seconds < 60 ? undefined : duration(seconds * 1000);
  }
  return undefined;
};

const readBytes = (text: string): number | undefined => {
  const [, digits, unit = ""] = /^(\d+(?:\.\d+)?)\s*(?:([KMGTP])B?)?$/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return Number(digits) * 1024 ** " KMGTP".indexOf(unit.toUpperCase() || " ");
};
