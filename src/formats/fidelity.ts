import type { FormatName } from "../core/formats.ts";
import type { Colour } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import { factsOf } from "./registry.ts";
import { flag, named } from "./write/index.ts";

/** Whether transparency survives in the answer; an image of black and white has none. */
export const writesAlpha = ({ format, quality, encoding }: Plan): boolean =>
  factsOf(format).alpha && quality !== "bitonal" && named(encoding, "compression") !== "jpeg";

/** Whether 16 bits per sample survive in the answer. */
export const writesDeep = ({ format, deep, quality, encoding }: Plan): boolean =>
  deep &&
  quality !== "bitonal" &&
  ((format === "png" && !flag(encoding, "palette")) ||
    (format === "tif" && named(encoding, "compression") !== "jpeg") ||
    format === "jp2" ||
    format === "jxl");

/**
 * Whether the answer can carry the profile of an image, which has to be one for the samples it is
 * written in.
 */
export const writesProfile = ({ format }: Plan, model: Colour["model"]): boolean =>
  format !== "gif" && !(model === "grey" && colourOnly.has(format));

/** Formats that make three channels of a grey image's one. */
const colourOnly: ReadonlySet<FormatName> = new Set<FormatName>(["webp", "avif"]);
