/** One line of a file, which preserves the bytes around its value. */
interface Line {
  /** Without its line ending. */
  readonly text: string;
  /** The line ending; empty at the end of a file without a final one. */
  readonly end: string;
  readonly entry?: Property;
  readonly malformed?: true;
}

interface Property {
  readonly key: string;
  /** As parsed: trimmed, each run of backslashes collapsed to one. */
  readonly value: string;
  /** The positions of the separator and the raw value in the line's text. */
  readonly separator: number;
  readonly start: number;
  readonly stop: number;
}

/** Where a file sets a key. `line` counts from 1. */
export interface Setting {
  /** Empty where the file has the key without a value. */
  readonly value: string;
  readonly line: number;
  /** The lines of further occurrences, which have no effect. */
  readonly ignored: readonly number[];
}

/** A file in Cantaloupe's syntax: its content and its exact form. */
export interface Properties {
  readonly lines: readonly Line[];
  readonly settings: ReadonlyMap<string, Setting>;
  /** The lines that are neither comment nor entry, counted from 1; they are skipped. */
  readonly malformed: readonly number[];
}

/**
 * Parses Cantaloupe's syntax: one entry per line, split at the first `=` or, where there is none,
 * at the first `:`; `#` and `!` begin comments. Of several entries for a key, the first with a
 * value counts. Accepts any text; invalid lines are listed.
 */
export const parseProperties = (text: string): Properties => gather(splitLines(text).map(read));

/** The text of a file, byte for byte as it was read but for changed values. */
export const formatProperties = ({ lines }: Properties): string =>
  lines.map(({ text, end }) => text + end).join("");

/** A value as it is parsed once written: trimmed, runs of backslashes collapsed. */
export const asRead = (value: string): string => value.trim().replace(/\\+/g, "\\");

/**
 * Sets the first occurrence of a key, or all of them when the value is empty, so that no later one
 * takes effect; the same file where it has no such key. The value must be a single line.
 */
export const withValue = (properties: Properties, key: string, value: string): Properties => {
  if (!properties.settings.has(key)) return properties;
  const last = value === "" ? Number.POSITIVE_INFINITY : 1;
  let met = 0;
  return gather(
    properties.lines.map((line) => {
      if (line.entry?.key !== key || met >= last) return line;
      met++;
      return rewrite(line, line.entry, value);
    }),
  );
};

/** Appends an entry. */
export const withEntry = (properties: Properties, key: string, value: string): Properties => {
  const ending = properties.lines.find(({ end }) => end !== "")?.end ?? "\n";
  const ended = properties.lines.map((line) => (line.end === "" ? { ...line, end: ending } : line));
  return gather([...ended, read({ text: `${key} = ${value}`, end: ending })]);
};

const splitLines = (text: string): Line[] =>
  [...text.matchAll(/([^\r\n]*)(\r\n|\r|\n)|([^\r\n]+)$/g)].map(([, body, end, rest]) => ({
    text: body ?? rest ?? "",
    end: end ?? "",
  }));

const read = ({ text, end }: Line): Line => {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed.startsWith("#") || trimmed.startsWith("!")) return { text, end };
  const equals = text.indexOf("=");
  const separator = equals === -1 ? text.indexOf(":") : equals;
  const key = text.slice(0, Math.max(separator, 0)).trim();
  if (key === "") return { text, end, malformed: true };
  const after = text.slice(separator + 1);
  const value = after.trim();
  const start = separator + 1 + (after.length - after.trimStart().length);
  return {
    text,
    end,
    entry: { key, value: asRead(value), separator, start, stop: start + value.length },
  };
};

const rewrite = (line: Line, entry: Property, value: string): Line => {
  // After a colon, a `=` in the value would become the separator.
  const sign = value.includes("=") ? "=" : (line.text[entry.separator] ?? "=");
  const before = line.text.slice(0, entry.separator);
  const space = line.text.slice(entry.separator + 1, entry.start);
  const gap = space === "" && entry.start === entry.stop && /\s$/.test(before) ? " " : space;
  const text = `${before}${sign}${gap}${value}${line.text.slice(entry.stop)}`;
  return read({ text, end: line.end });
};

const gather = (lines: readonly Line[]): Properties => {
  const settings = new Map<string, Setting>();
  const malformed: number[] = [];
  for (const [index, { entry, malformed: senseless }] of lines.entries()) {
    if (senseless) malformed.push(index + 1);
    if (entry) settings.set(entry.key, joined(settings.get(entry.key), entry.value, index + 1));
  }
  return { lines, settings, malformed };
};

const joined = (before: Setting | undefined, value: string, line: number): Setting => {
  if (before === undefined) return { value, line, ignored: [] };
  return before.value === "" && value !== ""
    ? { value, line, ignored: [...before.ignored, before.line] }
    : { ...before, ignored: [...before.ignored, line] };
};
