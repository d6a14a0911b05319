import { fail } from "../../core/errors.ts";
import type { Size } from "../../core/geometry.ts";
import type { XpmLines } from "./text.ts";
import type { ColourOfName } from "./x11-colours.ts";

/** The values of an XPM file. */
export interface XpmValues {
  readonly size: Size;
  readonly colours: number;
  /** Characters per pixel. */
  readonly characters: number;
  /** Version 1 has a colour's characters and name in separate strings. */
  readonly apart: boolean;
}

const maxCharacters = 16;
/** Unless there are more pixels. */
const maxColours = 65_536;

/** Parses the first string; throws `unreadable` where it does not agree with what follows. */
export const valuesOf = (lines: XpmLines): XpmValues => {
  const said = lines.at(0);
  const [width, height, colours, characters] = said.trim().split(/\s+/, 4).map(wholeNumber);
  if (!width || !height || !colours || !characters || characters > maxCharacters)
    return fail(
      "unreadable",
      `Expected width, height, number of colours and characters per pixel (1 to ${maxCharacters}) in the XPM, not ${JSON.stringify(said.slice(0, 64))}.`,
    );
  if (colours > Math.max(maxColours, width * height))
    fail("unreadable", `Expected at most ${maxColours} colours in the XPM, not ${colours}.`);
  const apart = said.endsWith(" v1");
  const needed = 1 + colours * (apart ? 2 : 1) + height;
  if (needed > lines.count)
    fail("unreadable", `Expected ${needed} strings in the XPM; there are ${lines.count}.`);
  return { size: { width, height }, colours, characters, apart };
};

const wholeNumber = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : 0);

/** Red, green, blue and opacity, from 0 to 255. */
export type Colour = readonly [number, number, number, number];

/** The colours by the characters of a pixel; throws `unreadable` for an invalid one. */
export const paletteOf = (
  lines: XpmLines,
  { colours, characters, apart }: XpmValues,
  colourOfName: ColourOfName,
): ReadonlyMap<string, Colour> => {
  const palette = new Map<string, Colour>();
  for (let index = 0; index < colours; index++) {
    const line = lines.at(1 + index * (apart ? 2 : 1));
    const key = line.slice(0, characters);
    if (key.length < characters)
      fail("unreadable", `Expected colour codes of ${characters} characters in the XPM.`);
    const name = apart ? lines.at(2 + index * 2).trim() : bestOf(line.slice(characters));
    palette.set(key, colourOf(name, colourOfName));
  }
  return palette;
};

/** Visuals that a colour is defined for, best first: colour, greys, four greys, black and white. */
const visuals = ["c", "g", "g4", "m"] as const;
const isVisual = /^(?:c|g|g4|m|s)$/;

/** Of a string's colours for different visuals, that for the best one. */
const bestOf = (line: string): string => {
  const named = new Map<string, string>();
  let visual = "";
  // A name may have several words, and the key of a visual is never the first of them.
  for (const word of line.trim().split(/\s+/))
    if (isVisual.test(word) && (visual === "" || named.has(visual))) visual = word;
    else named.set(visual, named.has(visual) ? `${named.get(visual)} ${word}` : word);
  for (const wanted of visuals) {
    const name = named.get(wanted);
    if (name !== undefined) return name;
  }
  return fail(
    "unreadable",
    `Expected a colour in the XPM, not ${JSON.stringify(line.slice(0, 64))}.`,
  );
};

const clear: Colour = [0, 0, 0, 0];
const digits = /^#(?:[\da-f]{3}|[\da-f]{6}|[\da-f]{9}|[\da-f]{12})$/i;

const colourOf = (name: string, colourOfName: ColourOfName): Colour => {
  if (/^none$/i.test(name)) return clear;
  if (digits.test(name)) {
    const length = (name.length - 1) / 3;
    const top = 16 ** length - 1;
    const channel = (index: number): number => {
      const from = 1 + index * length;
      return Math.round((Number.parseInt(name.slice(from, from + length), 16) * 255) / top);
    };
    return [channel(0), channel(1), channel(2), 255];
  }
  const [red, green, blue] =
    colourOfName(name) ??
    fail(
      "unreadable",
      `Expected an X11 colour name in the XPM, not ${JSON.stringify(name.slice(0, 64))}.`,
    );
  return [red, green, blue, 255];
};

/**
 * Finds the colour of a pixel; throws `unreadable` where the palette has none of these characters.
 */
export type FindColour = (row: string, pixel: number) => Colour;

/** The lookup of colours; those of one character, which are most, in a table. */
export const colourLookup = (
  palette: ReadonlyMap<string, Colour>,
  characters: number,
): FindColour => {
  const unknown = (text: string): never =>
    fail("unreadable", `Unknown colour code ${JSON.stringify(text)} in the XPM.`);
  if (characters > 1)
    return (row, pixel) => {
      const key = row.slice(pixel * characters, (pixel + 1) * characters);
      return palette.get(key) ?? unknown(key);
    };
  const table = Array.from({ length: 256 }, (_, code) => palette.get(String.fromCharCode(code)));
  return (row, pixel) => table[row.charCodeAt(pixel)] ?? unknown(row.slice(pixel, pixel + 1));
};
