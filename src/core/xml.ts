import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from "saxes";
import { fail } from "./errors.ts";

/** A name with its namespace. */
export interface XmlName {
  /** The prefix as written; empty without one. */
  readonly prefix: string;
  readonly local: string;
  /** The namespace; empty without one. */
  readonly uri: string;
}

export interface XmlAttribute extends XmlName {
  readonly value: string;
}

export interface XmlElement extends XmlName {
  /** Without namespace declarations. */
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlElement[];
  /** All text directly in it, joined. */
  readonly text: string;
}

const maxNodes = 50_000;
const maxDepth = 64;
/** The parser's messages quote names, which may be as long as the document. */
const maxMessage = 200;

/**
 * Parses an XML 1.0 document with namespaces; anything after the root element is ignored. A
 * document type is refused, so that no entity can be expanded. Invalid XML characters are replaced.
 * Throws `unreadable` where the document is not well formed, nested deeper than 64, or has more
 * than 50,000 elements and attributes.
 */
export const readXml = (text: string): XmlElement =>
  parse(text.replace(disallowed, "\uFFFD"), false);

/** Invalid XML characters, which real-world metadata sometimes contains. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones meant.
const disallowed = /[\0-\x08\x0b\x0c\x0e-\x1f\uFFFE\uFFFF]/g;

/** As `readXml`, but what follows the root element must be well formed too. */
export const readWholeXml = (text: string): XmlElement => parse(text, true);

const parse = (text: string, isWhole: boolean): XmlElement => {
  const tree = new Tree();
  const parser = new SaxesParser({ xmlns: true, position: true });
  let rootEnd = Number.POSITIVE_INFINITY;
  const isEnded = (): boolean => !isWhole && parser.position > rootEnd;
  parser.on("error", ({ message }) => {
    if (!isEnded())
      fail("unreadable", `Expected well-formed XML in XMP: ${message.slice(0, maxMessage)}`);
  });
  parser.on("doctype", () => {
    if (!isEnded()) fail("unreadable", "XMP with a document type declaration is not accepted.");
  });
  parser.on("opentag", (tag) => {
    if (!isEnded()) tree.open(tag);
  });
  parser.on("closetag", () => {
    if (isEnded()) return;
    tree.close();
    if (tree.root !== undefined) rootEnd = parser.position;
  });
  parser.on("text", (characters) => tree.addText(characters));
  parser.on("cdata", (characters) => tree.addText(characters));
  parser.write(text.replace(/^\uFEFF/, "")).close();
  return tree.root ?? fail("unreadable", "The XMP has no XML element.");
};

interface Element extends XmlElement {
  readonly children: Element[];
  text: string;
}

/** Elements as they are opened and closed. */
class Tree {
  root: XmlElement | undefined;
  readonly #open: Element[] = [];
  #nodes = 0;

  open({ prefix, local, uri, attributes }: SaxesTagNS): void {
    const own = Object.values(attributes);
    this.#nodes += 1 + own.length;
    if (this.#nodes > maxNodes)
      fail("unreadable", `Expected XML of at most ${maxNodes} nodes; it has more.`);
    if (this.#open.length >= maxDepth)
      fail("unreadable", `Expected XML nested at most ${maxDepth} deep.`);
    this.#open.push({
      prefix,
      local,
      uri,
      attributes: own.filter((one) => !isDeclaration(one)).map(attributeOf),
      children: [],
      text: "",
    });
  }

  close(): void {
    const closed = this.#open.pop();
    const parent = this.#open.at(-1);
    if (parent === undefined) this.root ??= closed;
    else if (closed !== undefined) parent.children.push(closed);
  }

  addText(characters: string): void {
    const element = this.#open.at(-1);
    if (element !== undefined) element.text += characters;
  }
}

const isDeclaration = ({ prefix, name }: SaxesAttributeNS): boolean =>
  prefix === "xmlns" || name === "xmlns";

const attributeOf = ({ prefix, local, uri, value }: SaxesAttributeNS): XmlAttribute => ({
  prefix,
  local,
  uri,
  value,
});
