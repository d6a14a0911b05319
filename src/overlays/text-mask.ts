import sharp from "sharp";
import { fail } from "../core/errors.ts";
import type { StringOverlay } from "../core/overlay-description.ts";
import type { Coverage } from "./stroke.ts";

/** The properties of a text that decide which pixels it covers. */
export interface TextLook
  extends Pick<StringOverlay, "string" | "font" | "fontWeight" | "glyphSpacing" | "position"> {
  /** Pixels per em. */
  readonly size: number;
  /** Maximum width of a line in pixels; absent: unlimited. */
  readonly width?: number;
}

/** Approximate pixels of one text. */
const maxPixels = 4 * 2 ** 20;

/**
 * Whether a text may be drawn: as far as can be estimated, it takes no more than a bounded number
 * of pixels.
 */
export const isDrawable = ({ string, size, glyphSpacing, width }: TextLook): boolean => {
  const lines = linesOf(string).split("\n");
  const advance = size * (1 + Math.max(0, glyphSpacing));
  const height = size * 1.5;
  const longest = Math.max(...lines.map(({ length }) => length)) * advance;
  const rows =
    width === undefined ? lines.length : lines.length + (string.length * advance) / width;
  return Math.min(longest, width ?? longest) * rows * height <= 4 * maxPixels;
};

/**
 * The coverage of a text, cropped to it. Throws `internal` where it cannot be drawn; it has to be
 * `isDrawable`.
 */
export const maskOf = async (look: TextLook): Promise<Coverage> => {
  await needFonts();
  return coverageOf(look).catch((error: unknown) =>
    fail("internal", "The text of an overlay could not be rendered.", error),
  );
};

const coverageOf = async (look: TextLook): Promise<Coverage> => {
  const { data, info } = await sharp({
    text: {
      text: markupOf(look),
      // One point is one pixel.
      dpi: 72,
      align: alignmentOf(look.position),
      ...(look.width === undefined ? {} : { width: look.width, wrap: "word-char" }),
    },
    limitInputPixels: 4 * maxPixels,
  })
    .extractChannel(0)
    .raw()
    .timeout({ seconds: 10 })
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
};

const alignmentOf = (position: string): "left" | "right" | "centre" => {
  const words = position.split(" ");
  if (words.includes("left")) return "left";
  return words.includes("right") ? "right" : "centre";
};

/** Pango units per point. */
const units = 1_024;

/** Pango markup of a text, escaped. */
export const markupOf = ({
  string,
  font,
  fontWeight,
  glyphSpacing,
  size,
}: Omit<TextLook, "position">): string => {
  const attributes = {
    font_family: families[font.toLowerCase().replace(/\s/g, "")] ?? font,
    size: Math.round(size * units),
    weight: weightOf(fontWeight),
    letter_spacing: Math.round(glyphSpacing * size * units),
  };
  const written = Object.entries(attributes).map(
    ([name, value]) => `${name}="${escaped(String(value))}"`,
  );
  return `<span ${written.join(" ")}>${escaped(linesOf(string))}</span>`;
};

/** A text with line feeds between its lines. */
export const linesOf = (text: string): string => text.replace(/\\n|\r\n?/g, "\n");

/** Fonts that Java has by these names on every machine. */
const families: Readonly<Record<string, string>> = {
  sansserif: "sans-serif",
  dialog: "sans-serif",
  dialoginput: "monospace",
  serif: "serif",
  monospaced: "monospace",
};

/** As in CSS: Java's 1 is 400 and 2 is 700. */
const weightOf = (weight: number): number => {
  const wanted = weight < 1 ? 400 * weight : 400 + (weight - 1) * 300;
  return Math.min(900, Math.max(100, Math.round(wanted / 100) * 100));
};

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Control characters and lone surrogates, which markup cannot contain. */
const escaped = (text: string): string =>
  text
    .replace(/[&<>"']/g, (one) => entities[one] ?? one)
    .replace(/(?![\n\t])[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, "\uFFFD");

let hasFonts = false;

/**
 * Throws `internal` where the system has no fonts: Pango then draws boxes, of the same size at
 * every font size.
 */
export const needFonts = async (): Promise<void> => {
  if (hasFonts) return;
  const heightAt = async (size: number): Promise<number> => {
    const { height } = await coverageOf({ ...plain, size });
    return height;
  };
  const [small, large] = await Promise.all([heightAt(20), heightAt(80)]);
  hasFonts = large > 2 * small;
  if (!hasFonts)
    fail(
      "internal",
      "The system has no fonts for the text of overlays. Install some, such as the package fonts-dejavu-core.",
    );
};

const plain = {
  string: "H",
  font: "SansSerif",
  fontWeight: 1,
  glyphSpacing: 0,
  position: "top left",
} as const;
