import { fail } from "../core/errors.ts";
import { round } from "../core/geometry.ts";
import { colorNames } from "./color-names.ts";

/** A colour, each component from 0 to 255; alpha 255 is opaque. */
export interface Color {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  readonly alpha: number;
}

/**
 * Parses a CSS colour name, `#rgb`, `#rgba`, `#rrggbb`, `#rrggbbaa`, `rgb(r,g,b)` or
 * `rgba(r,g,b,a)`. Alpha is an integer from 0 to 255 or a decimal from 0.0 to 1.0. Throws
 * `malformed`.
 */
export const parseColor = (text: string): Color =>
  readColor(text) ?? fail("malformed", `Expected a colour, got ${JSON.stringify(text)}.`);

/** As `parseColor`, but undefined for an invalid colour. */
export const readColor = (text: string): Color | undefined => {
  const wanted = text.trim().toLowerCase();
  if (wanted === "transparent") return { red: 0, green: 0, blue: 0, alpha: 0 };
  if (wanted.startsWith("#")) return readHex(wanted.slice(1));
  if (Object.hasOwn(colorNames, wanted)) return fromNumber(colorNames[wanted] ?? 0);
  return readFunction(wanted);
};

const opaque = 255;

const fromNumber = (rgb: number): Color => ({
  red: rgb >> 16,
  green: (rgb >> 8) & 0xff,
  blue: rgb & 0xff,
  alpha: opaque,
});

const readHex = (digits: string): Color | undefined => {
  if (!/^(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.test(digits)) return undefined;
  // One digit stands for two equal ones, as in CSS (reference H-42).
  const full = digits.length <= 4 ? digits.replace(/./g, "$&$&") : digits;
  const rgb = fromNumber(Number.parseInt(full.slice(0, 6), 16));
  return full.length === 6 ? rgb : { ...rgb, alpha: Number.parseInt(full.slice(6), 16) };
};

const readFunction = (text: string): Color | undefined => {
  const [, name, inside = ""] = /^(rgba?)\s*\(([^()]*)\)$/.exec(text) ?? [];
  if (name === undefined) return undefined;
  const parts = inside.split(",").map((part) => part.trim());
  if (parts.length !== (name === "rgba" ? 4 : 3)) return undefined;
  const [red, green, blue] = parts.map(readByte);
  const alpha = name === "rgba" ? readAlpha(parts[3] ?? "") : opaque;
  if (red === undefined || green === undefined || blue === undefined || alpha === undefined)
    return undefined;
  return { red, green, blue, alpha };
};

const readByte = (text: string): number | undefined => {
  const value = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  return value <= 255 ? value : undefined;
};

/**
 * An integer is on the scale of 255, so `1` is nearly transparent; only a decimal is on the scale
 * of 1.
 */
const readAlpha = (text: string): number | undefined => {
  if (!text.includes(".")) return readByte(text);
  const share = /^(?:\d+\.\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  return share <= 1 ? round(share * opaque) : undefined;
};
