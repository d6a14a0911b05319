/** Between a number and its unit, and between groups of digits: narrow and non-breaking. */
export const thin = "\u202f";

/** An integer with grouped digits: `12 345`. */
export const count = (value: number): string =>
  Math.round(value)
    .toString()
    .replace(/\B(?=(?:\d{3})+$)/g, thin);

/** A number with few significant digits: `0.04`, `3.2`, `48.5`, `12 345`. */
export const short = (value: number): string => {
  const size = Math.abs(value);
  if (size >= 100) return count(value);
  const digits = size >= 1 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
};

/** Bytes in powers of 1024: `1.4 GiB`. */
export const bytes = (value: number): string => {
  const power = Math.min(units.length - 1, value < 1024 ? 0 : Math.floor(Math.log2(value) / 10));
  return `${short(value / 1024 ** power)}${thin}${units[power]}`;
};

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

/** A fraction, 0 to 1: `97.3 %`; never rounded up to 100 %. */
export const percent = (part: number): string => {
  const value = part * 100;
  const shown =
    part < 1 && value > 99.9 ? "99.9" : value.toFixed(value < 10 ? 1 : value < 99 ? 0 : 1);
  return `${shown.replace(/\.0$/, "")}${thin}%`;
};

/** A rate: `12.4 /s`. */
export const perSecond = (value: number): string => `${short(value)}${thin}/s`;

/** A short duration: `0.8 ms`, `250 ms`, `1.3 s`. */
export const milliseconds = (value: number): string =>
  value < 1000 ? `${short(value)}${thin}ms` : `${short(value / 1000)}${thin}s`;

/** A long duration in its two largest units: `3 d 4 h`, `12 min 5 s`. */
export const duration = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first < 0) return `0${thin}s`;
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount}${thin}${unit}`)
    .join(" ");
};

/** As in `1 change`, `3 changes`. */
export const plural = (amount: number, one: string, many = `${one}s`): string =>
  `${count(amount)} ${amount === 1 ? one : many}`;
