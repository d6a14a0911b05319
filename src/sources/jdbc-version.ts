import type { ObjectFacts } from "./remote/store.ts";

/**
 * Seconds since 1970 stay below this for thousands of years; milliseconds have been above it since
 * 1973.
 */
const minMilliseconds = 100_000_000_000;

/** The version of an image, from a database value that changes with it. */
export const versionFacts = (
  value: unknown,
  size: number,
): Pick<ObjectFacts, "etag" | "lastModified"> => {
  const text = textOf(value);
  if (text === undefined) return {};
  const lastModified = dateOf(value, text);
  return { etag: `${size}-${text}`, ...(lastModified ? { lastModified } : {}) };
};

const textOf = (value: unknown): string | undefined => {
  if (value === null || value === undefined) return undefined;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : String(value);
};

const dateOf = (value: unknown, text: string): Date | undefined => {
  if (value instanceof Date) return value;
  const date = /^\d+(?:\.\d+)?$/.test(text) ? ofNumber(Number(text)) : ofText(text);
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date;
};

const ofNumber = (number: number): Date =>
  new Date(number < minMilliseconds ? number * 1_000 : number);

/** ISO 8601 dates, also with a space in the middle; without a zone they are UTC. */
const ofText = (text: string): Date | undefined => {
  const [, day, time = "00:00:00", zone = ""] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?))?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/.exec(
      text,
    ) ?? [];
  if (day === undefined) return undefined;
  const [hours, minutes] = [zone.slice(0, 3), zone.replace(":", "").slice(3)];
  const offset = /^[+-]/.test(zone) ? `${hours}:${minutes === "" ? "00" : minutes}` : "Z";
  return new Date(`${day}T${time}${offset}`);
};
