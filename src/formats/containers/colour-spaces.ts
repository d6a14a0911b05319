import { Fields } from "./fields.ts";

/** The content of a colour box (ISO/IEC 15444-1, I.5.3.3; 15444-2, M.11.7.3). */
export type ColourSpecification =
  | { readonly kind: "named"; readonly number: number; readonly parameters: Uint8Array }
  | { readonly kind: "profile"; readonly profile: Uint8Array };

/** How an image's samples represent colours. */
export interface ColourSpace {
  /** The conversion that the channels need first. */
  readonly coding:
    | "plain"
    | "inverted"
    | "ycc"
    | "video601"
    | "video709"
    | "ycck"
    | "lab"
    | "extended";
  /** The colour space after that. */
  readonly model: "grey" | "rgb" | "cmyk";
  readonly channels: 1 | 3 | 4;
  /** The ICC profile after that. */
  readonly profile?: Uint8Array;
  /**
   * Of CIELAB: the range and the offset of L*, a* and b*, in that order; absent for the defaults.
   */
  readonly lab?: readonly (readonly [number, number])[];
}

/** The space that a colour box names; undefined where it is unknown. */
export const colourSpaceOf = (said: ColourSpecification): ColourSpace | undefined => {
  if (said.kind === "profile") return profiled(said.profile);
  const space = named.get(said.number);
  if (space?.coding !== "lab") return space;
  const lab = labRanges(said.parameters);
  return lab === undefined ? space : { ...space, lab };
};

export const greySpace: ColourSpace = { coding: "plain", model: "grey", channels: 1 };
export const rgbSpace: ColourSpace = { coding: "plain", model: "rgb", channels: 3 };

const cmykSpace: ColourSpace = { coding: "plain", model: "cmyk", channels: 4 };
const ycc = (coding: ColourSpace["coding"]): ColourSpace => ({ ...rgbSpace, coding });

/** By EnumCS (15444-1, table I.10; 15444-2, table M.25). */
const named: ReadonlyMap<number, ColourSpace> = new Map<number, ColourSpace>([
  // One bit, with 1 as black in one and as white in the other.
  [0, { ...greySpace, coding: "inverted" }],
  [15, greySpace],
  [1, ycc("video709")],
  [3, ycc("ycc")],
  [4, ycc("video601")],
  // Subtractive: samples are amounts of ink.
  [11, ycc("inverted")],
  [12, cmykSpace],
  [13, { ...cmykSpace, coding: "ycck" }],
  [14, ycc("lab")],
  [16, rgbSpace],
  [17, greySpace],
  [18, ycc("ycc")],
  [20, ycc("extended")],
]);

const profiled = (profile: Uint8Array): ColourSpace | undefined => {
  const name = Buffer.from(profile.subarray(16, 20)).toString("latin1");
  switch (name) {
    case "GRAY":
      return { ...greySpace, profile };
    case "RGB ":
      return { ...rgbSpace, profile };
    case "CMYK":
      return { ...cmykSpace, profile };
    case "YCbr":
      return ycc("ycc");
    case "Lab ":
      return ycc("lab");
    default:
      return undefined;
  }
};

/**
 * EP of CIELAB: a range and an offset of each (15444-2, M.11.7.4.1); the illuminant is assumed to
 * be D50.
 */
const labRanges = (parameters: Uint8Array): ColourSpace["lab"] => {
  if (parameters.length < labBytes) return undefined;
  const fields = new Fields("the parameters of CIELAB", parameters);
  return [0, 1, 2].map(() => [fields.long(), fields.long()] as const);
};

const labBytes = 24;
