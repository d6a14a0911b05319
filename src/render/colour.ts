import type { Sharp } from "sharp";
import type { Colour } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import { writesAlpha, writesDeep, writesProfile } from "../formats/fidelity.ts";
import type { Colouring } from "./picture.ts";

/**
 * What becomes of a page's colours; of the plan and the page alone, so that tiles and whole
 * images agree.
 */
export interface Treatment {
  readonly look: Colouring;
  /** Whether the embedded profile is used up in a conversion to sRGB. */
  readonly converts: boolean;
  /** What to lay under transparency that the answer cannot have. */
  readonly background?: Background;
}

interface Background {
  readonly r: number;
  readonly g: number;
  readonly b: number;
  /** 0 to 1. */
  readonly alpha: number;
}

/** Decides what becomes of a page's colours. */
export const treatmentOf = (plan: Plan, colour: Colour): Treatment => {
  const grey = colour.model === "grey";
  const converts = isConverted(plan, colour);
  const deep = writesDeep(plan) && colour.bits > 8;
  return {
    look: {
      space: grey ? (deep ? "grey16" : "b-w") : deep ? "rgb16" : "srgb",
      keepsProfile: colour.profile === "kept" && !converts,
    },
    converts,
    ...(!writesAlpha(plan) && { background: opaque(plan) }),
  };
};

/** Whether a page's colours are converted to sRGB for a plan. */
export const isConverted = (plan: Plan, { model, profile }: Colour): boolean => {
  if ((model !== "grey" && model !== "rgb") || profile === "converted") return true;
  if (profile !== "kept") return false;
  // Shades of grey are computed from what the numbers mean, and an RGB profile fits no grey.
  const toGrey = model !== "grey" && (plan.quality === "gray" || plan.quality === "bitonal");
  return plan.colour === "srgb" || toGrey || !writesProfile(plan, model);
};

/** The background where the answer has no transparency. */
const opaque = ({ background: [r, g, b] }: Plan): Background => ({ r, g, b, alpha: 1 });

/**
 * What the corners of a turned image are filled with; where they are clear, edges fade into the
 * same colour.
 */
export const cornersOf = (plan: Plan): Background => ({
  ...opaque(plan),
  alpha: writesAlpha(plan) ? 0 : 1,
});

/** Tells a pipeline how its pixels are meant and kept. */
export const dress = (image: Sharp, { space, keepsProfile }: Colouring): Sharp => {
  const dressed = image.toColourspace(space);
  return keepsProfile ? dressed.keepIccProfile() : dressed;
};

/** The pipeline of a freshly decoded raster, its profile treated. */
export const treat = (image: Sharp, { look, converts }: Treatment, bits: number): Sharp => {
  const dressed = dress(image, look);
  // Left to itself, sharp takes 16-bit images to Display P3.
  return converts && bits > 8 ? dressed.withIccProfile("srgb", { attach: false }) : dressed;
};

/** Lays the background under an image that may not stay transparent. */
export const layBackground = (image: Sharp, { background }: Treatment): Sharp =>
  background ? image.flatten({ background }) : image;

/** Rec. 709 luma of the gamma-encoded samples; a hair over 1 in sum, so that white stays white. */
const red = 0.2126;
const green = 0.7152;
const blue = 0.0722 + 1e-6;
type MatrixRow = [number, number, number];
const row: MatrixRow = [red, green, blue];

/** Makes shades of grey of a pipeline whose pixels are RGB. */
export const toLuma = (
  image: Sharp,
  look: Colouring,
): { readonly image: Sharp; readonly look: Colouring } => {
  const grey: Colouring = {
    space: look.space === "rgb16" ? "grey16" : "b-w",
    keepsProfile: false,
  };
  return { image: dress(image.recomb([row, row, row]), grey), look: grey };
};
