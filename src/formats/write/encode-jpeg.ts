import type { Sharp } from "sharp";
import type { Plan } from "../../core/plan.ts";
import { flag, named, number } from "./encode-values.ts";

/** An image as JPEG. */
export const encodeJpeg = (image: Sharp, { encoding }: Pick<Plan, "encoding">): Promise<Buffer> =>
  image
    .jpeg({
      quality: number(encoding, "quality", 80),
      progressive: flag(encoding, "progressive"),
      chromaSubsampling: named(encoding, "subsampling") === "4:4:4" ? "4:4:4" : "4:2:0",
      quantisationTable: number(encoding, "table", 3),
      optimiseCoding: flag(encoding, "optimise"),
    })
    .toBuffer();
