import { area } from "../core/geometry.ts";
import { factsOf, formatOfExtension } from "../formats/registry.ts";
import type { ObjectFacts, ZoomCost } from "./facts.ts";

/** What may be wrong with an object, or could be better. */
export type FindingCode =
  /** Damaged, or of a variant that cannot be read. */
  | "unreadable"
  | "denied"
  | "storage"
  /** Takes too much time or memory. */
  | "limit"
  /** Its format is off, or needs software that is missing. */
  | "off"
  | "slow"
  | "wrong-extension"
  | "case"
  | "no-profile";

/** `error`: cannot be shown; `warning`: somebody should look; `note`: good to know. */
export type Severity = "error" | "warning" | "note";

export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** In a sentence. */
  readonly text: string;
}

/** What judging needs to know besides an object. */
export interface JudgingRules {
  /** Whether the server makes pyramids by itself, and of images with how many pixels and more. */
  readonly pyramids: { readonly isOn: boolean; readonly minPixels: number };
  /** Whether another identifier differs in case, or in the composition of letters, only. */
  readonly hasTwin: boolean;
}

/** Whether an object is an image, by its content or at least by its name. */
export const isImage = (facts: Pick<ObjectFacts, "format" | "identifier" | "problem">): boolean =>
  facts.format !== undefined ||
  facts.problem !== undefined ||
  formatOfExtension(extensionOf(facts.identifier)) !== undefined;

/** The extension of an identifier in small letters, without its dot; "" for none. */
export const extensionOf = (identifier: string): string =>
  /[^/]\.([^./]{1,16})$/.exec(identifier)?.[1]?.toLowerCase() ?? "";

/**
 * What zooming into an image costs; undefined where that is fast, or the image is so small that
 * nobody zooms far.
 */
export const slowZoomOf = (
  { image }: Pick<ObjectFacts, "image">,
  { pyramids }: Pick<JudgingRules, "pyramids">,
): ZoomCost | undefined =>
  image && area(image.size) >= pyramids.minPixels ? image.zoom : undefined;

/** How many times as much a slow tile costs as it would with a pyramid. */
export const gainOf = ({ tile }: Pick<ZoomCost, "tile">): number =>
  Math.max(1, Math.round(tile.now / tile.withPyramid));

/** What there is to say of an object; the gravest first. */
export const judge = (facts: ObjectFacts, rules: JudgingRules): readonly Finding[] =>
  [
    problemFinding(facts),
    contentFinding(facts),
    slowFinding(facts, rules),
    extensionFinding(facts),
    rules.hasTwin && isImage(facts)
      ? warning("case", "Another identifier differs from it only in upper and lower case.")
      : undefined,
    profileFinding(facts),
  ].filter((finding) => finding !== undefined);

const severities = {
  unreadable: "error",
  denied: "error",
  storage: "error",
  limit: "warning",
  off: "warning",
} as const;

const problemFinding = ({ problem, image }: ObjectFacts): Finding | undefined => {
  if (problem === undefined) return undefined;
  const { kind, reason, page } = problem;
  const where = page !== undefined && (image?.pages ?? 1) > 1 ? `Page ${page}: ` : "";
  return { code: kind, severity: severities[kind], text: where + reason };
};

/** An image by name whose bytes are of no format that is known. */
const contentFinding = ({
  identifier,
  format,
  problem,
  bytes,
}: ObjectFacts): Finding | undefined => {
  if (format !== undefined || problem !== undefined) return undefined;
  const named = formatOfExtension(extensionOf(identifier));
  if (named === undefined) return undefined;
  const text =
    bytes === 0
      ? "The file is empty."
      : `Its extension says ${factsOf(named).name}; its content is in no format that can be read.`;
  return { code: "unreadable", severity: "error", text };
};

const slowFinding = (facts: ObjectFacts, rules: JudgingRules): Finding | undefined => {
  const zoom = slowZoomOf(facts, rules);
  if (zoom === undefined) return undefined;
  const costs = `A tile costs ${megapixels(zoom.tile.now)}, with a pyramid ${megapixels(zoom.tile.withPyramid)}.`;
  return rules.pyramids.isOn
    ? {
        code: "slow",
        severity: "note",
        text: `${costs} The server makes one once it is zoomed into.`,
      }
    : warning("slow", costs);
};

const megapixels = (pixels: number): string => `${(pixels / 1e6).toFixed(1)} MP`;

const extensionFinding = ({ identifier, format }: ObjectFacts): Finding | undefined => {
  const extension = extensionOf(identifier);
  const named = formatOfExtension(extension);
  if (format === undefined || named === undefined || named === format) return undefined;
  return warning(
    "wrong-extension",
    `Its extension is .${extension}; its content is ${factsOf(format).name}.`,
  );
};

/**
 * Where colours are a guess: CMYK always; of RGB, what is likely to have been scanned or edited in
 * another colour space than sRGB. JPEGs and PNGs of 8 bits without a profile are sRGB by convention.
 */
const profileFinding = ({ format, image }: ObjectFacts): Finding | undefined => {
  if (image?.colour.profile !== "none") return undefined;
  const { model, bits } = image.colour;
  if (model === "cmyk")
    return warning("no-profile", "It is CMYK without an ICC profile: its colours are a guess.");
  const matters = model === "rgb" && (bits > 8 || format === "tif" || format === "jp2");
  return matters
    ? { code: "no-profile", severity: "note", text: "It has no ICC profile and counts as sRGB." }
    : undefined;
};

const warning = (code: FindingCode, text: string): Finding => ({
  code,
  severity: "warning",
  text,
});
