import { homedir } from "node:os";
import { round } from "../core/geometry.ts";
import { readColor } from "./color.ts";
import type { Definition } from "./keys.ts";

/** A value, or what was expected instead of the given text. */
export type Parsed =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly expected: string };

/** Parses a key's value. An empty text is the default, or the choice that empty means. */
export const parseValue = (definition: Definition, text: string): Parsed => {
  const trimmed = text.trim();
  return trimmed === "" ? good(blankValue(definition)) : parseText(definition, trimmed);
};

/** The value of a key that is set but empty. */
export const blankValue = (definition: Definition): unknown =>
  "blank" in definition && definition.blank !== undefined ? definition.blank : definition.default;

/**
 * The value of an unset key where Cantaloupe's defaults apply; undefined where that is the default.
 */
export const cantaloupeDefault = (definition: Definition): unknown => definition.cantaloupe;

/** A key's valid values, as a phrase: "an integer from 1 to 100". */
export const expectation = (definition: Definition): string => {
  switch (definition.type) {
    case "boolean":
      return "true or false";
    case "choice":
      return `one of ${definition.choices.map((choice) => (choice === "" ? "(blank)" : choice)).join(", ")}`;
    case "color":
      return "a colour (a CSS name, #rgb, #rgba, #rrggbb, #rrggbbaa, rgb(r,g,b) or rgba(r,g,b,a))";
    case "list":
      return "a list separated by commas or spaces";
    case "string":
    case "secret":
      return "a text of one line";
    case "path":
      return "a path";
    default:
      return `${numberPhrase[definition.type]}${bounds(definition)}${definition.type === "bytes" ? ", such as 512K or 1.5G" : ""}`;
  }
};

/** Writes a value in the form that `parseValue` reads. */
export const formatValue = (definition: Definition, value: unknown): string => {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.join(", ");
  return definition.type === "bytes" && typeof value === "number"
    ? formatBytes(value)
    : String(value);
};

/** Expands a leading `~` to the home folder. */
export const expandHome = (path: string): string =>
  path === "~" || path.startsWith("~/") ? homedir() + path.slice(1) : path;

const parseText = (definition: Definition, text: string): Parsed => {
  switch (definition.type) {
    case "boolean":
      return text in booleans ? good(booleans[text]) : bad(definition);
    case "choice": {
      const wanted = text.toLowerCase();
      const choice = definition.choices.find((known) => known.toLowerCase() === wanted);
      return choice === undefined ? bad(definition) : good(choice);
    }
    case "color":
      return readColor(text) === undefined ? bad(definition) : good(text);
    case "list":
      return good(text.split(/[\s,]+/).filter((item) => item !== ""));
    case "path":
      return good(expandHome(text));
    case "string":
    case "secret":
      return good(text);
    default: {
      const value = numberReader[definition.type](text);
      const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = definition;
      return value === undefined || value < min || value > max ? bad(definition) : good(value);
    }
  }
};

const good = (value: unknown): Parsed => ({ ok: true, value });
const bad = (definition: Definition): Parsed => ({ ok: false, expected: expectation(definition) });

const booleans: Readonly<Record<string, boolean>> = Object.assign(Object.create(null), {
  true: true,
  "1": true,
  false: false,
  "0": false,
});

type NumberDefinition = Extract<Definition, { min?: number }>;
type NumberType = NumberDefinition["type"];

const numberPhrase: Readonly<Record<NumberType, string>> = {
  integer: "an integer",
  number: "a number",
  bytes: "a number of bytes",
  seconds: "a number of seconds",
};

const readNumber = (text: string): number | undefined => {
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
};

const readInteger = (text: string): number | undefined => {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = Number(text);
  // Adding zero turns -0 into 0.
  return Number.isSafeInteger(value) ? value + 0 : undefined;
};

/** In powers of 1024, as in `512K`, `5 MB`, `1.5g`; no suffix: bytes. */
const readBytes = (text: string): number | undefined => {
  const [, digits, unit = ""] = /^(-?(?:\d+\.?\d*|\.\d+))(?:([KMGTP])B?)?$/i.exec(
    text.replace(/\s+/g, ""),
  ) ?? [undefined, ""];
  if (digits === "" || digits === undefined) return undefined;
  const exact = Number(digits) * 1024 ** (units.indexOf(unit.toUpperCase()) + 1);
  const value = Number.isInteger(exact) ? exact : round(exact);
  return Number.isSafeInteger(value) ? value : undefined;
};

const numberReader: Readonly<Record<NumberType, (text: string) => number | undefined>> = {
  integer: readInteger,
  number: readNumber,
  bytes: readBytes,
  seconds: readNumber,
};

const units = ["K", "M", "G", "T", "P"];

const formatBytes = (bytes: number): string => {
  let count = bytes;
  let power = 0;
  while (count !== 0 && count % 1024 === 0 && power < units.length) {
    count /= 1024;
    power++;
  }
  return `${count}${units[power - 1] ?? ""}`;
};

const bounds = (definition: NumberDefinition): string => {
  const { min, max } = definition;
  if (min !== undefined && max !== undefined)
    return ` from ${formatValue(definition, min)} to ${formatValue(definition, max)}`;
  if (min !== undefined) return ` of at least ${formatValue(definition, min)}`;
  return max === undefined ? "" : ` of at most ${formatValue(definition, max)}`;
};
