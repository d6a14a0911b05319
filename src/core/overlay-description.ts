/**
 * The position of an overlay, by Cantaloupe's names and short names; of several matching names, the
 * first counts.
 */
export const positions = {
  "top left": "NW",
  "top center": "N",
  "top right": "NE",
  "left center": "W",
  center: "C",
  "right center": "E",
  "bottom left": "SW",
  "bottom center": "S",
  "bottom right": "SE",
  repeat: "REPEAT",
  scaled: "SCALED",
} as const;

export type Position = keyof typeof positions;
/** Positions available to text. */
export type TextPosition = Exclude<Position, "repeat" | "scaled">;

const names = Object.keys(positions) as Position[];

/**
 * Parses a position: words in any case and order, with spaces or underscores. Undefined for an
 * invalid one.
 */
export const readPosition = (text: string): Position | undefined => {
  const words = text
    .toLowerCase()
    .split(/[\s_]+/)
    .filter((word) => word !== "");
  if (words.length === 0) return undefined;
  const holds = (name: Position): boolean => {
    const own = name.split(" ");
    return words.every((word) => own.includes(word));
  };
  return names.find((name) => name === words.join(" ")) ?? names.find(holds);
};

/** Whether a position is available to text. */
export const isTextPosition = (position: Position): position is TextPosition =>
  position !== "repeat" && position !== "scaled";

/** An image drawn over images. */
export interface ImageOverlay {
  readonly kind: "image";
  /** A path, or a URL of `file:`, `http:` or `https:`. */
  readonly image: string;
  readonly position: Position;
  /** Pixels between the image and the edges. */
  readonly inset: number;
}

/** Text drawn over images. `parseColor` parses the colours. */
export interface StringOverlay {
  readonly kind: "string";
  /** `\n`, or its two characters, separates lines. */
  readonly string: string;
  readonly position: TextPosition;
  readonly inset: number;
  /** The name of a font family. */
  readonly font: string;
  /** Pixels per em. */
  readonly fontSize: number;
  /** Minimum size used where the text does not fit. */
  readonly fontMinSize: number;
  /** 1 is regular, 2 bold. */
  readonly fontWeight: number;
  /** Letter spacing in ems. */
  readonly glyphSpacing: number;
  readonly color: string;
  readonly backgroundColor: string;
  readonly strokeColor: string;
  /** Pixels. */
  readonly strokeWidth: number;
  /** Whether lines are wrapped to the width of the image instead of reducing the font. */
  readonly wordWrap: boolean;
}

export type OverlayDescription = ImageOverlay | StringOverlay;

/** A watermark of an access rule. Text uses the defaults of `BasicStrategy`. */
export type Watermark =
  | ImageOverlay
  | Pick<StringOverlay, "kind" | "string" | "position" | "inset">;

/** The default appearance of text. */
export const usualText = {
  font: "SansSerif",
  fontSize: 18,
  fontMinSize: 14,
  fontWeight: 1,
  glyphSpacing: 0,
  color: "white",
  backgroundColor: "transparent",
  strokeColor: "black",
  strokeWidth: 2,
} as const;

/** Limits of overlays, so that drawing one takes bounded time and memory. */
export const overlayBounds = {
  inset: 10_000,
  /** Characters. */
  string: 2_000,
  fontSize: 500,
  fontWeight: { min: 0.1, max: 3 },
  glyphSpacing: { min: -1, max: 10 },
  strokeWidth: 20,
} as const;
