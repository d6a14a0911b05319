import type { FormatName } from "../core/formats.ts";
import type { Colour } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import { factsOf } from "./registry.ts";
import { flag, named } from "./write/index.ts";

/** Whether transparency is preserved in the output; black-and-white images have none. */
export const writesAlpha = ({ format, quality, encoding }: Plan): boolean =>
  factsOf(format).alpha && quality !== "bitonal" && named(encoding, "compression") !== "jpeg";

/** Whether 16 bits per sample are preserved in the output. */
export const writesDeep = ({ format, deep, quality, encoding }: Plan): boolean =>
  deep &&
  quality !== "bitonal" &&
  ((format === "png" && !flag(encoding, "palette")) ||
    (format === "tif" && named(encoding, "compression") !== "jpeg") ||
    format === "jp2" ||
    format === "jxl");

/** Whether the output can contain the image's profile, which has to match its samples. */
export const writesProfile = ({ format }: Plan, model: Colour["model"]): boolean =>
  format !== "gif" && !(model === "grey" && colourOnly.has(format));

/** Formats that convert grey images to three channels. */
const colourOnly: ReadonlySet<FormatName> = new Set<FormatName>(["webp", "avif"]);
