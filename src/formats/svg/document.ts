import { fail } from "../../core/errors.ts";
import { withoutEntities } from "./entities.ts";

/** An SVG document, split at its root element. */
export interface SvgDocument {
  /** Name of the root element, with its prefix if it has one, as in `svg`. */
  readonly name: string;
  /** By name, as written between the quotes. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Whether the root element is empty. */
  readonly isEmpty: boolean;
  /** Everything after the root's start tag, including its end tag. */
  readonly rest: string;
}

/**
 * Parses as much of an SVG document as rendering a region needs. Declarations, comments and
 * processing instructions before the root are dropped, and so is its document type, whose entities
 * are expanded if they are plain texts. Throws `unreadable` where that is impossible, or the root
 * is not `svg`.
 */
export const readDocument = (text: string): SvgDocument => {
  const { declarations, from } = passProlog(text);
  const body = withoutEntities(text.slice(from), declarations);
  const name = /^<((?:[\w.-]+:)?svg)(?=[\s/>])/.exec(body)?.[1];
  if (name === undefined)
    return fail("unreadable", "Expected an SVG document with the root element svg.");
  const attributes = new Map<string, string>();
  const attribute = /\s+([^\s=/>"'<]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
  attribute.lastIndex = name.length + 1;
  let end = attribute.lastIndex;
  for (let found = attribute.exec(body); found !== null; found = attribute.exec(body)) {
    attributes.set(found[1] ?? "", found[2] ?? found[3] ?? "");
    end = attribute.lastIndex;
    if (attributes.size > maxAttributes) break;
  }
  const close = /\s*(\/?)>/y;
  close.lastIndex = end;
  const closed = close.exec(body);
  if (closed === null) return fail("unreadable", "The start tag of the svg element is incomplete.");
  return { name, attributes, isEmpty: closed[1] === "/", rest: body.slice(close.lastIndex) };
};

const maxAttributes = 1_000;

/** The start of the root, and the internal subset of the document type. */
const passProlog = (text: string): { readonly declarations: string; readonly from: number } => {
  let declarations = "";
  let from = 0;
  for (;;) {
    from = pass(text, from, /\s*/y);
    const end = text.startsWith("<?", from)
      ? text.indexOf("?>", from) + 2
      : text.startsWith("<!--", from)
        ? text.indexOf("-->", from + 4) + 3
        : undefined;
    if (end !== undefined) {
      if (end <= from) return fail("unreadable", "Truncated SVG document.");
      from = end;
    } else if (text.startsWith("<!DOCTYPE", from)) {
      const type = doctype(text, from);
      declarations += type.declarations;
      from = type.end;
    } else return { declarations, from };
  }
};

const pass = (text: string, from: number, pattern: RegExp): number => {
  pattern.lastIndex = from;
  pattern.test(text);
  return Math.max(from, pattern.lastIndex);
};

const doctype = (text: string, from: number): { declarations: string; end: number } => {
  const first = signAt(text, from, "[>");
  if (first !== undefined && text[first] === ">") return { declarations: "", end: first + 1 };
  const close = first === undefined ? undefined : signAt(text, first + 1, "]");
  const end = close === undefined ? 0 : pass(text, close + 1, /\s*>/y);
  const open = (first ?? 0) + 1;
  if (close === undefined || end === close + 1 || close - open > longestDeclarations)
    return fail(
      "unreadable",
      `Expected a complete document type declaration of at most ${longestDeclarations} characters in the SVG document.`,
    );
  return { declarations: text.slice(open, close), end };
};

/** The position of the next of some characters, skipping quoted texts and comments. */
const signAt = (text: string, from: number, signs: string): number | undefined => {
  const piece = /<!--|["'[\]>]/g;
  piece.lastIndex = from;
  for (let found = piece.exec(text); found !== null; found = piece.exec(text)) {
    const [sign] = found;
    const closing = closings[sign];
    if (signs.includes(sign)) return found.index;
    if (closing === undefined) continue;
    const end = text.indexOf(closing, found.index + sign.length);
    if (end < 0) return undefined;
    piece.lastIndex = end + closing.length;
  }
  return undefined;
};

/** The ends of quoted texts and comments. */
const closings: Readonly<Record<string, string | undefined>> = {
  '"': '"',
  "'": "'",
  "<!--": "-->",
};

const longestDeclarations = 32_768;
