import type { Sharp } from "sharp";
import type { Colour } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import { writesAlpha, writesDeep, writesProfile } from "../formats/fidelity.ts";
import type { Colouring } from "./picture.ts";

/**
 * How a page's colours are handled; depends on plan and page alone, so that tiles and whole images
 * agree.
 */
export interface ColourTreatment {
  readonly look: Colouring;
  /** Whether the embedded profile is dropped after a conversion to sRGB. */
  readonly converts: boolean;
  /** The background for transparency that the output cannot have. */
  readonly background?: Background;
}

interface Background {
  readonly r: number;
  readonly g: number;
  readonly b: number;
  /** 0 to 1. */
  readonly alpha: number;
}

/** Decides how a page's colours are handled. */
export const treatmentOf = (plan: Plan, colour: Colour): ColourTreatment => {
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
  // Grey is computed from the meaning of the samples, and an RGB profile fits no grey image.
  const toGrey = model !== "grey" && (plan.quality === "gray" || plan.quality === "bitonal");
  return plan.colour === "srgb" || toGrey || !writesProfile(plan, model);
};

/** The background where the output has no transparency. */
const opaque = ({ background: [r, g, b] }: Plan): Background => ({ r, g, b, alpha: 1 });

/**
 * The colour of a rotated image's corners; where they are transparent, edges fade into the same
 * colour.
 */
export const cornersOf = (plan: Plan): Background => ({
  ...opaque(plan),
  alpha: writesAlpha(plan) ? 0 : 1,
});

/** Sets a pipeline's colour space and output profile. */
export const setColourSpace = (image: Sharp, { space, keepsProfile }: Colouring): Sharp => {
  const dressed = image.toColourspace(space);
  return keepsProfile ? dressed.keepIccProfile() : dressed;
};

/** The pipeline of a freshly decoded raster with its profile handled. */
export const treat = (image: Sharp, { look, converts }: ColourTreatment, bits: number): Sharp => {
  const dressed = setColourSpace(image, look);
  // By default, sharp converts 16-bit images to Display P3.
  return converts && bits > 8 ? dressed.withIccProfile("srgb", { attach: false }) : dressed;
};

/** Flattens an image that may not stay transparent onto the background. */
export const flatten = (image: Sharp, { background }: ColourTreatment): Sharp =>
  background ? image.flatten({ background }) : image;

/**
 * Rec. 709 luma of the gamma-encoded samples; the weights sum to slightly more than 1, so that
 * white stays white.
 */
const red = 0.2126;
const green = 0.7152;
const blue = 0.0722 + 1e-6;
type MatrixRow = [number, number, number];
const row: MatrixRow = [red, green, blue];

/** Converts an RGB pipeline to grey. */
export const toLuma = (
  image: Sharp,
  look: Colouring,
): { readonly image: Sharp; readonly look: Colouring } => {
  const grey: Colouring = {
    space: look.space === "rgb16" ? "grey16" : "b-w",
    keepsProfile: false,
  };
  return { image: setColourSpace(image.recomb([row, row, row]), grey), look: grey };
};
