import { fail } from "./errors.ts";

/** The content of a URL's identifier segment: the image, its page, and its scale constraint. */
export interface MetaIdentifier {
  readonly identifier: string;
  /** Counted from 1; of a video, the second. */
  readonly page: number;
  /** Set where page 1 is written: of a video that is second 1, not its start. */
  readonly first?: true;
  /** The available share of full size, as in `id;1:2`; 1:1 when unconstrained. */
  readonly constraint: Constraint;
}

/** A share of full size, `numerator` ≤ `denominator`, both positive integers. */
export interface Constraint {
  readonly numerator: number;
  readonly denominator: number;
}

export const unconstrained: Constraint = { numerator: 1, denominator: 1 };

/** How identifiers are written in URLs. */
export interface IdentifierSyntax {
  /** Replaces a slash in URLs; empty where slashes are sent as `%2F`. */
  readonly slashSubstitute: string;
  /** The literal separator before page and constraint; empty where identifiers have neither. */
  readonly delimiter: string;
  /** Whether `+` means a space and a backslash a slash, as in Cantaloupe. */
  readonly formStyle?: boolean;
}

/** Maximum length of a decoded identifier in characters. */
const maxIdentifierLength = 1000;

/**
 * Parses the raw identifier segment of a URL, `id`, `id;page` or `id;page;n:d`; throws `malformed`.
 */
export const parseIdentifier = (rawSegment: string, syntax: IdentifierSyntax): MetaIdentifier => {
  const { identifier, page, constraint } = split(
    textOfSegment(rawSegment, syntax),
    syntax.delimiter,
  );
  return {
    identifier: checkedIdentifier(identifier),
    ...pageNamed(page),
    constraint: constraint === undefined ? unconstrained : share(constraint),
  };
};

/** The identifier if it is valid: not empty, without NUL, not too long; else throws `malformed`. */
export const checkedIdentifier = (identifier: string): string => {
  if (identifier === "") fail("malformed", "identifier: expected at least one character, got none");
  if (identifier.includes("\0")) fail("malformed", "identifier: a NUL character is not allowed");
  const length = Array.from(identifier).length;
  if (length > maxIdentifierLength)
    fail(
      "malformed",
      `identifier: expected at most ${maxIdentifierLength} characters, got ${length}`,
    );
  return identifier;
};

/**
 * The decoded text of an identifier: the constraint 1:1 is omitted, and so is page 1 unless it was
 * written, or its absence would be misread.
 */
export const writeIdentifier = (meta: MetaIdentifier, delimiter: string): string => {
  const { identifier, page, first, constraint } = meta;
  const { numerator, denominator } = constraint;
  if (delimiter === "") return identifier;
  const suffix = numerator === denominator ? "" : `${delimiter}${numerator}:${denominator}`;
  // An identifier that itself ends like a page number needs one after it.
  const paged =
    page !== 1 || first === true || split(identifier + suffix, delimiter).identifier !== identifier;
  return identifier + (paged ? `${delimiter}${page}` : "") + suffix;
};

/** The URL segment of an identifier; the inverse of `parseIdentifier`. */
export const identifierSegment = (meta: MetaIdentifier, syntax: IdentifierSyntax): string =>
  segmentOfText(writeIdentifier(meta, syntax.delimiter), syntax);

/** The URL segment of a decoded meta-identifier; the inverse of `textOfSegment`. */
export const segmentOfText = (text: string, syntax: IdentifierSyntax): string => {
  const segment = encodeSegment(
    syntax.slashSubstitute === "" ? text : text.replaceAll("/", syntax.slashSubstitute),
  );
  return syntax.formStyle ? segment.replaceAll("+", "%2B") : segment;
};

/**
 * The segment to redirect to where the constraint of a raw segment can be reduced: `id;2:4` is
 * `id;1:2` and `id;3:3` is `id`. Undefined where it cannot.
 */
export const simplerSegment = (
  rawSegment: string,
  syntax: IdentifierSyntax,
): string | undefined => {
  const written = split(textOfSegment(rawSegment, syntax), syntax.delimiter).constraint;
  if (written === undefined) return undefined;
  const meta = parseIdentifier(rawSegment, syntax);
  const constraint = reduceConstraint(meta.constraint);
  const unchanged = `${constraint.numerator}:${constraint.denominator}` === written;
  return unchanged && constraint.denominator > 1
    ? undefined
    : identifierSegment({ ...meta, constraint }, syntax);
};

/** The same share in lowest terms. */
export const reduceConstraint = ({ numerator, denominator }: Constraint): Constraint => {
  let [divisor, rest] = [denominator, numerator];
  while (rest > 0) [divisor, rest] = [rest, divisor % rest];
  return { numerator: numerator / divisor, denominator: denominator / divisor };
};

/** Percent-encodes text for one path segment the way the Image API spells identifiers (3.0 §9). */
export const encodeSegment = (text: string): string => {
  if (/\p{Surrogate}/u.test(text))
    fail("malformed", "identifier: expected whole Unicode characters, got half of a pair");
  return encodeURIComponent(text).replace(/%(?:3A|2C|3B|3D|2B|24|26)/g, decodeURIComponent);
};

/**
 * Percent-decodes one path segment, once; `+` stays as it is. `name` is for the message of
 * `malformed`.
 */
export const decodeSegment = (rawSegment: string, name: string): string => {
  if (!rawSegment.includes("%")) return rawSegment;
  try {
    return decodeURIComponent(rawSegment);
  } catch (cause) {
    return fail(
      "malformed",
      `${name}: expected percent-encoded UTF-8, got ${quoted(rawSegment)}`,
      cause,
    );
  }
};

/** Text from a URL for messages: quoted, and truncated where long. */
export const quoted = (text: string): string =>
  text.length > 100 ? `'${text.slice(0, 100)}…'` : `'${text}'`;

/** The decoded text of a raw segment, not parsed; throws `malformed` where it cannot be decoded. */
export const textOfSegment = (
  rawSegment: string,
  { slashSubstitute, formStyle }: IdentifierSyntax,
): string => {
  const raw = formStyle ? rawSegment.replaceAll("+", " ") : rawSegment;
  const decoded = decodeSegment(raw, "identifier");
  const text = slashSubstitute === "" ? decoded : decoded.replaceAll(slashSubstitute, "/");
  return formStyle ? text.replaceAll("\\", "/") : text;
};

interface IdentifierParts {
  readonly identifier: string;
  readonly page?: string;
  readonly constraint?: string;
}

/** Splits page and constraint off the end, unless that would leave no identifier. */
const split = (text: string, delimiter: string): IdentifierParts => {
  const constrained = cut(text, delimiter, /^\d+:\d+$/);
  const paged = cut(constrained?.head ?? text, delimiter, /^\d+$/);
  return {
    identifier: paged?.head ?? constrained?.head ?? text,
    ...(paged && { page: paged.tail }),
    ...(constrained && { constraint: constrained.tail }),
  };
};

const cut = (
  text: string,
  delimiter: string,
  pattern: RegExp,
): { readonly head: string; readonly tail: string } | undefined => {
  if (delimiter === "") return undefined;
  const at = text.lastIndexOf(delimiter);
  if (at < 1) return undefined;
  const tail = text.slice(at + delimiter.length);
  return pattern.test(tail) ? { head: text.slice(0, at), tail } : undefined;
};

const pageNamed = (text: string | undefined): Pick<MetaIdentifier, "page" | "first"> => {
  const page = text === undefined ? 1 : pageNumber(text);
  return text !== undefined && page === 1 ? { page, first: true } : { page };
};

const pageNumber = (text: string): number => {
  const page = Number(text);
  if (page < 1 || !Number.isSafeInteger(page))
    fail("malformed", `identifier: expected a page number from 1 up, got ${quoted(text)}`);
  return page;
};

const share = (text: string): Constraint => {
  const [numerator = 0, denominator = 0] = text.split(":").map(Number);
  if (numerator < 1 || numerator > denominator || !Number.isSafeInteger(denominator))
    fail(
      "malformed",
      `identifier: expected a scale constraint n:d with 1 ≤ n ≤ d, got ${quoted(text)}`,
    );
  return { numerator, denominator };
};
