import { fail } from "../core/errors.ts";

/** A parsed rolling file pattern: the length of a period and its file names. */
export interface Rolling {
  /** As rotating-file-stream spells it, as in `1d`. */
  readonly interval: "1M" | "1d" | "1h" | "1m";
  readonly compressed: boolean;
  /** The name of the rotated file for the period that began then. */
  name(periodStart: Date): string;
}

/**
 * Parses a pattern such as `logs/access-%d{yyyy-MM-dd}.log.gz`; throws `malformed` where it has no
 * usable date. `key` names the setting in the message.
 */
export const parseRolling = (pattern: string, key: string): Rolling => {
  const dates = [...pattern.matchAll(datePart)].map((found) => found[1] ?? "yyyy-MM-dd");
  const format = dates.join("");
  const unit = units.find(([token]) => format.includes(token));
  if (unit === undefined)
    return fail(
      "malformed",
      `${key}: expected a file name with a date such as %d{yyyy-MM-dd}, got "${pattern}"`,
    );
  return {
    interval: unit[1],
    compressed: pattern.endsWith(".gz"),
    name: (start) =>
      pattern.replace(datePart, (_, given: string | undefined) =>
        writeDate(start, given ?? "yyyy-MM-dd"),
      ),
  };
};

/** `%d` or `%d{format}`; Logback's further arguments after a comma are ignored. */
const datePart = /%d(?:\{([^},]*)(?:,[^}]*)?\})?/g;

/** Smallest unit first. */
const units = [
  ["mm", "1m"],
  ["HH", "1h"],
  ["dd", "1d"],
  ["MM", "1M"],
] as const;

const writeDate = (date: Date, format: string): string =>
  format.replace(/yyyy|MM|dd|HH|mm|ss/g, (token) => {
    switch (token) {
      case "yyyy":
        return String(date.getFullYear());
      case "MM":
        return two(date.getMonth() + 1);
      case "dd":
        return two(date.getDate());
      case "HH":
        return two(date.getHours());
      case "mm":
        return two(date.getMinutes());
      default:
        return two(date.getSeconds());
    }
  });

const two = (value: number): string => String(value).padStart(2, "0");
