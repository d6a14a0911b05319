/**
 * Where an overlay lies, by Cantaloupe's names and short names; of names that fit, the first
 * counts.
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
/** Positions that text can have. */
export type TextPosition = Exclude<Position, "repeat" | "scaled">;

const names = Object.keys(positions) as Position[];

/**
 * Reads a position: words in any case and order, with spaces or underscores. Undefined for what is
 * none.
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

/** Whether text can have a position. */
export const isTextPosition = (position: Position): position is TextPosition =>
  position !== "repeat" && position !== "scaled";

/** An image to be laid over images. */
export interface ImageOverlay {
  readonly kind: "image";
  /** A path, or a URL of `file:`, `http:` or `https:`. */
  readonly image: string;
  readonly position: Position;
  /** Pixels between the image and the edges. */
  readonly inset: number;
}

/** Text to be laid over images. Colours are as `parseColor` reads them. */
export interface StringOverlay {
  readonly kind: "string";
  /** With `\n`, or its two characters, between lines. */
  readonly string: string;
  readonly position: TextPosition;
  readonly inset: number;
  /** The name of a family. */
  readonly font: string;
  /** Pixels to an em. */
  readonly fontSize: number;
  /** What the size goes down to where the text does not fit. */
  readonly fontMinSize: number;
  /** 1 is regular, 2 bold. */
  readonly fontWeight: number;
  /** Added between glyphs, in ems. */
  readonly glyphSpacing: number;
  readonly color: string;
  readonly backgroundColor: string;
  readonly strokeColor: string;
  /** Pixels. */
  readonly strokeWidth: number;
  /** Whether lines are broken to the width of the image, instead of a smaller font. */
  readonly wordWrap: boolean;
}

export type OverlayDescription = ImageOverlay | StringOverlay;

/** A watermark of an access rule. Text looks as that of `BasicStrategy`. */
export type Watermark =
  | ImageOverlay
  | Pick<StringOverlay, "kind" | "string" | "position" | "inset">;

/** What text looks like where nothing is said of it. */
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

/** What overlays may be, so that drawing one takes bounded time and memory. */
export const overlayBounds = {
  inset: 10_000,
  /** Characters. */
  string: 2_000,
  fontSize: 500,
  fontWeight: { min: 0.1, max: 3 },
  glyphSpacing: { min: -1, max: 10 },
  strokeWidth: 20,
} as const;
