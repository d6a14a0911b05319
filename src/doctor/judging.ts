import { area } from "../core/geometry.ts";
import { factsOf, formatOfExtension } from "../formats/registry.ts";
import type { ObjectFacts, ZoomCost } from "./facts.ts";

/** Problems and possible improvements of an object. */
export type FindingCode =
  /** Damaged, or an unsupported variant. */
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

/** `error`: cannot be shown; `warning`: should be checked; `note`: for information. */
export type Severity = "error" | "warning" | "note";

export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** A sentence. */
  readonly text: string;
}

/** The context of judging an object. */
export interface JudgingRules {
  /** Whether the server makes pyramids, and the minimum pixels of images that get one. */
  readonly pyramids: { readonly isOn: boolean; readonly minPixels: number };
  /** Whether another identifier differs only in case or in Unicode normalization. */
  readonly hasTwin: boolean;
}

/** Whether an object is an image by its content or by its extension. */
export const isImage = (facts: Pick<ObjectFacts, "format" | "identifier" | "problem">): boolean =>
  facts.format !== undefined ||
  facts.problem !== undefined ||
  formatOfExtension(extensionOf(facts.identifier)) !== undefined;

/** The extension of an identifier in lower case, without its dot; "" for none. */
export const extensionOf = (identifier: string): string =>
  /[^/]\.([^./]{1,16})$/.exec(identifier)?.[1]?.toLowerCase() ?? "";

/**
 * The cost of zooming into an image; undefined if that is fast or the image has too few pixels for
 * a pyramid.
 */
export const slowZoomOf = (
  { image }: Pick<ObjectFacts, "image">,
  { pyramids }: Pick<JudgingRules, "pyramids">,
): ZoomCost | undefined =>
  image && area(image.size) >= pyramids.minPixels ? image.zoom : undefined;

/** Cost of a slow tile divided by its cost with a pyramid. */
export const gainOf = ({ tile }: Pick<ZoomCost, "tile">): number =>
  Math.max(1, Math.round(tile.now / tile.withPyramid));

/** The findings of an object, the most severe first. */
export const judge = (facts: ObjectFacts, rules: JudgingRules): readonly Finding[] =>
  [
    problemFinding(facts),
    contentFinding(facts),
    slowFinding(facts, rules),
    extensionFinding(facts),
    rules.hasTwin && isImage(facts)
      ? warning("case", "Another identifier differs from this one only in case.")
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

/** The finding for a file with an image's extension whose content has no known format. */
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
      : `Its extension says ${factsOf(named).name}, but its content has no known format.`;
  return { code: "unreadable", severity: "error", text };
};

const slowFinding = (facts: ObjectFacts, rules: JudgingRules): Finding | undefined => {
  const zoom = slowZoomOf(facts, rules);
  if (zoom === undefined) return undefined;
  const costs = `Decoding a tile costs ${megapixels(zoom.tile.now)}, with a pyramid ${megapixels(zoom.tile.withPyramid)}.`;
  return rules.pyramids.isOn
    ? {
        code: "slow",
        severity: "note",
        text: `${costs} The server makes a pyramid once the image is zoomed into.`,
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
    `Its extension is .${extension}, but its content is ${factsOf(format).name}.`,
  );
};

/**
 * The finding for images whose colours are uncertain: CMYK, and RGB images that are likely to have
 * been scanned or edited in a colour space other than sRGB. JPEGs and PNGs with 8 bits and without
 * a profile are sRGB by convention.
 */
const profileFinding = ({ format, image }: ObjectFacts): Finding | undefined => {
  if (image?.colour.profile !== "none") return undefined;
  const { model, bits } = image.colour;
  if (model === "cmyk")
    return warning(
      "no-profile",
      "It is CMYK without an ICC profile, so its colours are uncertain.",
    );
  const matters = model === "rgb" && (bits > 8 || format === "tif" || format === "jp2");
  return matters
    ? {
        code: "no-profile",
        severity: "note",
        text: "It has no ICC profile and is treated as sRGB.",
      }
    : undefined;
};

const warning = (code: FindingCode, text: string): Finding => ({
  code,
  severity: "warning",
  text,
});
