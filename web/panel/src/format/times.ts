import { thin } from "./numbers.ts";

/** A time relative to now: `12 s ago`, `in 3 min`. */
export const relative = (at: number, now: number): string => {
  const seconds = Math.round((now - at) / 1000);
  const size = Math.abs(seconds);
  if (size < 2) return "now";
  const [amount, unit] = measured(size);
  const length = `${amount}${thin}${unit}`;
  return seconds > 0 ? `${length} ago` : `in ${length}`;
};

const measured = (seconds: number): readonly [number, string] => {
  if (seconds < 60) return [seconds, "s"];
  if (seconds < 3600) return [Math.floor(seconds / 60), "min"];
  if (seconds < 86_400) return [Math.floor(seconds / 3600), "h"];
  return [Math.floor(seconds / 86_400), "d"];
};

/** A moment in local time: `2026-11-22 01:47:39`. */
export const absolute = (at: number): string => {
  const date = new Date(at);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(padded).join("-");
  return `${day} ${clock(at)}`;
};

/** A time of day: `01:47:39`. */
export const clock = (at: number): string => {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(padded).join(":");
};

const padded = (part: number): string => String(part).padStart(2, "0");
