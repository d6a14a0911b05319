import { fail } from "../../core/errors.ts";
import type { Attributes } from "./attributes.ts";
import { dicomTags as tags } from "./tags.ts";

/** A lookup table for integers (PS3.3, C.11.1.1.1). */
interface Table {
  /** The input of the first entry. */
  readonly first: number;
  readonly entries: Uint16Array;
  /** Maximum value of entries. */
  readonly max: number;
}

/** How values are mapped to black and white (PS3.3, C.11.2). */
export type GreyMapping =
  | {
      readonly kind: "window";
      readonly function: WindowFunction;
      readonly center: number;
      readonly width: number;
    }
  | { readonly kind: "table"; readonly table: Table };

export type WindowFunction = "LINEAR" | "LINEAR_EXACT" | "SIGMOID";

/** The meaning of stored grey values, and their display. */
export interface GreyMeaning {
  /** From stored values to meaningful ones: a slope and an intercept, or a table. */
  readonly rescale: { readonly slope: number; readonly intercept: number } | Table;
  /** Undefined where the file does not say. */
  readonly shown: GreyMapping | undefined;
  /** Whether the minimum is white. */
  readonly inverted: boolean;
  /** A range of stored values that are padding. */
  readonly padding: readonly [number, number] | undefined;
}

/**
 * The transformation of a frame's values; of several windows the first counts, and a window before
 * a table.
 */
export const greyMeaning = (
  attributes: Attributes,
  { frame, signed }: { readonly frame: number; readonly signed: boolean },
): GreyMeaning => {
  const groups = [attributes.item(tags.frameGroups, frame), attributes.item(tags.sharedGroups, 0)];
  const transformations = [
    ...groups.map((group) => group.item(tags.pixelTransformation, 0)),
    attributes,
  ];
  const windows = [...groups.map((group) => group.item(tags.frameWindow, 0)), attributes];
  const padding = attributes.sixteen(tags.padding, signed);
  const limit = attributes.sixteen(tags.paddingLimit, signed) ?? padding;
  return {
    rescale:
      tableIn(attributes.item(tags.modalityTables, 0), signed) ??
      firstOf(transformations, rescaleIn),
    shown: firstWindow(windows) ?? tableShown(attributes.item(tags.windowTables, 0)),
    inverted:
      attributes.text(tags.photometric) === "MONOCHROME1" ||
      attributes.text(tags.presentationShape) === "INVERSE",
    padding:
      padding === undefined || limit === undefined
        ? undefined
        : [Math.min(padding, limit), Math.max(padding, limit)],
  };
};

type Rescale = { readonly slope: number; readonly intercept: number };

const asStored: Rescale = { slope: 1, intercept: 0 };

const rescaleIn = (attributes: Attributes): Rescale | undefined => {
  const slope = attributes.decimal(tags.rescaleSlope);
  const intercept = attributes.decimal(tags.rescaleIntercept);
  if (slope === undefined && intercept === undefined) return undefined;
  return { slope: slope || 1, intercept: intercept ?? 0 };
};

const firstOf = (
  places: readonly Attributes[],
  read: (place: Attributes) => Rescale | undefined,
): Rescale => {
  for (const place of places) {
    const found = read(place);
    if (found !== undefined) return found;
  }
  return asStored;
};

const firstWindow = (places: readonly Attributes[]): GreyMapping | undefined => {
  for (const place of places) {
    const center = place.decimal(tags.windowCenter);
    const width = place.decimal(tags.windowWidth);
    const said = place.text(tags.windowFunction);
    const named = said === "SIGMOID" || said === "LINEAR_EXACT" ? said : "LINEAR";
    if (center === undefined || width === undefined) continue;
    // LINEAR has no width below 1 (C.11.2.1.2.1).
    if (width >= 1 || (named !== "LINEAR" && width > 0))
      return { kind: "window", function: named, center, width };
  }
  return undefined;
};

const tableShown = (item: Attributes): GreyMapping | undefined => {
  const table = tableIn(item, true);
  return table && { kind: "table", table };
};

const tableIn = (item: Attributes, signed: boolean): Table | undefined => {
  const count = item.sixteen(tags.tableDescriptor, false, 0);
  const first = item.sixteen(tags.tableDescriptor, signed, 1);
  const bits = item.sixteen(tags.tableDescriptor, false, 2);
  const words = item.words(tags.tableData);
  if (count === undefined || first === undefined || bits === undefined || words === undefined)
    return undefined;
  const length = count === 0 ? 65_536 : count;
  const entries = words.length >= length ? words.subarray(0, length) : bytesAsEntries(item, length);
  if (bits < 1 || bits > 16)
    fail("unreadable", `Expected a DICOM table of 1 to 16 bits, not ${bits}.`);
  return { first, entries, max: 2 ** bits - 1 };
};

/** Entries of 8 bits may be packed two to a word. */
const bytesAsEntries = (item: Attributes, length: number): Uint16Array => {
  const bytes = item.bytes(tags.tableData);
  if (bytes === undefined || bytes.length < length)
    return fail("unreadable", `Expected a DICOM table of ${length} entries; it has fewer.`);
  return Uint16Array.from(bytes.subarray(0, length));
};

const entryOf = ({ first, entries }: Table, value: number): number => {
  const index = Math.max(0, Math.min(entries.length - 1, Math.floor(value) - first));
  return entries[index] ?? 0;
};

/** The meaning of a stored value. */
export const meaningOf = ({ rescale }: GreyMeaning): ((stored: number) => number) => {
  if ("entries" in rescale) return (stored) => entryOf(rescale, stored);
  const { slope, intercept } = rescale;
  return (stored) => stored * slope + intercept;
};

/**
 * The brightness of a value, from 0 (black) to 1 (white); `range` is used where the file does not
 * say.
 */
export const lightOf = (
  { shown, inverted }: GreyMeaning,
  range: readonly [number, number],
): ((meaning: number) => number) => {
  const upright = shown === undefined ? proportion(range) : shownBy(shown);
  return inverted ? (meaning) => 1 - upright(meaning) : upright;
};

const proportion = ([min, greatest]: readonly [number, number]): ((value: number) => number) => {
  const width = greatest - min;
  if (!(width > 0)) return (value) => (value > 0 ? 1 : 0);
  return (value) => clamp((value - min) / width);
};

const shownBy = (shown: GreyMapping): ((value: number) => number) => {
  if (shown.kind === "table")
    return (value) => clamp(entryOf(shown.table, value) / shown.table.max);
  const { center, width } = shown;
  if (shown.function === "SIGMOID")
    return (value) => 1 / (1 + Math.exp((-4 * (value - center)) / width));
  if (shown.function === "LINEAR_EXACT") return (value) => clamp((value - center) / width + 0.5);
  if (width === 1) return (value) => (value > center - 0.5 ? 1 : 0);
  return (value) => clamp((value - (center - 0.5)) / (width - 1) + 0.5);
};

const clamp = (light: number): number => (light <= 0 ? 0 : light >= 1 ? 1 : light || 0);
