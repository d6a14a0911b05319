import type { FormatName } from "../core/formats.ts";
import { sameSize } from "../core/geometry.ts";
import type { ResolvedRequest } from "../core/plan.ts";
import { factsOf, registry } from "../formats/registry.ts";
import { writeDecimal } from "./numbers.ts";
import type { Extent } from "./version.ts";

/** The canonical region: `full` where it is the whole page, else pixels (2.1 and 3.0 §4.7). */
export const regionSpelling = ({ page, crop }: Extent): string =>
  sameSize(crop, page) ? "full" : `${crop.x},${crop.y},${crop.width},${crop.height}`;

/** The canonical rotation and last segment, which are the same in 2.1 and 3.0. */
export const canonicalEnd = ({ mirror, rotation, quality, format }: ResolvedRequest): string =>
  `${mirror ? "!" : ""}${writeDecimal(rotation)}/${quality}.${factsOf(format).extensions[0]}`;

/** From name to format, by the preferred extension of each writable format. */
export const formatsByName = (): Readonly<Record<string, FormatName>> =>
  Object.fromEntries(writable().map((name) => [factsOf(name).extensions[0], name]));

/** The same, by any of its extensions. */
export const formatsByExtension = (): Readonly<Record<string, FormatName>> =>
  Object.fromEntries(
    writable().flatMap((name) => factsOf(name).extensions.map((extension) => [extension, name])),
  );

/** The Image API's names of formats. */
export const formatSpellings = (names: readonly FormatName[]): readonly string[] =>
  names.map((name) => factsOf(name).extensions[0]);

const writable = (): readonly FormatName[] =>
  registry.filter(({ facts }) => facts.maxSide > 0).map(({ name }) => name);
