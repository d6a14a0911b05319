import { fail } from "../core/errors.ts";
import type { FormatName } from "../core/formats.ts";
import { decodeSegment, type MetaIdentifier, quoted } from "../core/identifier.ts";
import type { ImageRequest, Quality } from "../core/request.ts";
import { parseDecimal } from "./numbers.ts";
import { parseRegion } from "./region.ts";
import { parseSize } from "./size.ts";
import type { Syntax } from "./version.ts";

/** The four segments after the identifier, raw: split at slashes, still percent-encoded. */
export interface Segments {
  readonly region: string;
  readonly size: string;
  readonly rotation: string;
  /** With its format suffix. */
  readonly quality: string;
}

/**
 * Parses an image request of a version of the API; throws `malformed`, or `unsupported` where 1.1
 * has no name for the format. `fallback` is the format where the version allows omitting it.
 */
export const parseImageRequest = (
  segments: Segments,
  { syntax }: { readonly syntax: Syntax },
  id: MetaIdentifier,
  fallback: FormatName = "jpg",
): ImageRequest => {
  const region = parseRegion(decodeSegment(segments.region, "region"), syntax);
  const size = parseSize(decodeSegment(segments.size, "size"), syntax);
  const rotated = parseRotation(decodeSegment(segments.rotation, "rotation"), syntax);
  const named = parseQuality(decodeSegment(segments.quality, "quality"), syntax, fallback);
  const { mirror, rotation } = rotated;
  const { quality, format } = named;
  return { id, region, size, mirror, rotation, quality, format };
};

const parseRotation = (
  text: string,
  syntax: Syntax,
): { readonly mirror: boolean; readonly rotation: number } => {
  const mirror = syntax.mirror && text.startsWith("!");
  const digits = mirror ? text.slice(1) : text;
  const rotation = parseDecimal(digits) ?? Number.NaN;
  if (!(rotation <= 360)) {
    const forms = syntax.mirror
      ? "degrees from 0 to 360, or ! and degrees"
      : "degrees from 0 to 360";
    fail("malformed", `rotation: expected ${forms}, got ${quoted(text)}`);
  }
  return { mirror, rotation };
};

const parseQuality = (
  text: string,
  syntax: Syntax,
  fallback: FormatName,
): { readonly quality: Quality; readonly format: FormatName } => {
  const dot = text.lastIndexOf(".");
  if (dot < 0 && !syntax.formatOptional)
    fail("malformed", `quality: expected quality.format, got ${quoted(text)}`);
  return {
    quality: word(syntax.qualities, dot < 0 ? text : text.slice(0, dot), {
      name: "quality",
      failure: "malformed",
      anyCase: syntax.anyCase,
    }),
    format:
      dot < 0
        ? fallback
        : word(syntax.formats, text.slice(dot + 1), {
            name: "format",
            failure: syntax.unknownFormat,
            anyCase: syntax.anyCase,
          }),
  };
};

const word = <T>(
  words: Readonly<Record<string, T>>,
  text: string,
  {
    name,
    failure,
    anyCase,
  }: {
    readonly name: string;
    readonly failure: Syntax["unknownFormat"];
    readonly anyCase: boolean | undefined;
  },
): T => {
  const spelled = anyCase ? text.toLowerCase() : text;
  const meaning = Object.hasOwn(words, spelled) ? words[spelled] : undefined;
  return (
    meaning ??
    fail(failure, `${name}: expected ${Object.keys(words).join(", ")}; got ${quoted(text)}`)
  );
};
