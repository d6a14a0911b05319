import { fail } from "./errors.ts";

/** A name as its namespace knows it. */
export interface XmlName {
  /** As it is written; empty without one. */
  readonly prefix: string;
  readonly local: string;
  /** Of the namespace; empty without one. */
  readonly uri: string;
}

export interface XmlAttribute extends XmlName {
  readonly value: string;
}

export interface XmlElement extends XmlName {
  /** Without declarations of namespaces. */
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlElement[];
  /** All characters directly in it, one behind the other. */
  readonly text: string;
}

const maxNodes = 50_000;
const deepest = 64;

/**
 * Reads a document of XML 1.0 with namespaces. Of entities only the five of XML and numbers are
 * known: a document type is refused, so that nothing can be expanded. Throws `unreadable` where the
 * document is not well formed, nested deeper than 64, or has more than 50,000 elements and
 * attributes.
 */
export const readXml = (text: string): XmlElement => rootOf(text).root;

/**
 * As `readXml`; refuses as well what stands behind the document, but for comments and processing
 * instructions.
 */
export const readWholeXml = (text: string): XmlElement => {
  const { root, end } = rootOf(text);
  let at = end;
  for (let next = text.indexOf("<", at); next >= 0; next = text.indexOf("<", at)) {
    takeCharacters(text, { from: at, to: next }, undefined);
    at = plainEnd(text, next, undefined) ?? damaged("no second document", next);
  }
  takeCharacters(text, { from: at, to: text.length }, undefined);
  return root;
};

const rootOf = (text: string): { readonly root: XmlElement; readonly end: number } => {
  const open: Open[] = [];
  let nodes = 0;
  for (let at = 0; ; ) {
    const next = text.indexOf("<", at);
    if (next < 0) return damaged("an element to end", at);
    takeCharacters(text, { from: at, to: next }, open.at(-1));
    const plain = plainEnd(text, next, open.at(-1));
    if (plain !== undefined) {
      at = plain;
      continue;
    }
    const step = text[next + 1] === "/" ? endTag(text, next, open) : startTag(text, next, open);
    at = step.end;
    nodes += step.nodes;
    if (nodes > maxNodes)
      fail("unreadable", `Expected XML of at most ${maxNodes} nodes; it has more.`);
    const parent = open.at(-1);
    if (step.closed === undefined) continue;
    if (parent === undefined) return { root: step.closed, end: at };
    parent.children.push(step.closed);
  }
};

/** What a tag comes to. */
interface Step {
  /** The element that it ends. */
  readonly closed: XmlElement | undefined;
  /** Position behind it. */
  readonly end: number;
  readonly nodes: number;
}

const endTag = (text: string, at: number, open: Open[]): Step => {
  const end = endOf(text, ">", at);
  const closed = close(open.pop(), text.slice(at + 2, end).trimEnd(), at);
  return { closed, end: end + 1, nodes: 0 };
};

const startTag = (text: string, at: number, open: Open[]): Step => {
  const tag = readTag(text, at);
  if (open.length >= deepest) fail("unreadable", `Expected XML nested at most ${deepest} deep.`);
  const opened = opening(tag, open.at(-1)?.scope, at);
  if (!tag.isEmpty) open.push(opened);
  return {
    closed: tag.isEmpty ? finished(opened) : undefined,
    end: tag.end,
    nodes: 1 + tag.attributes.length,
  };
};

/** The declarations in force; a lookup goes outwards. */
interface Scope {
  readonly own: ReadonlyMap<string, string>;
  readonly outer: Scope | undefined;
}

interface Open {
  readonly written: string;
  readonly name: XmlName;
  readonly attributes: readonly XmlAttribute[];
  readonly scope: Scope | undefined;
  readonly children: XmlElement[];
  readonly parts: string[];
}

interface Tag {
  readonly written: string;
  readonly attributes: readonly (readonly [string, string])[];
  readonly isEmpty: boolean;
  /** Position behind it. */
  readonly end: number;
}

const takeCharacters = (
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
  into: Open | undefined,
): void => {
  if (from === to) return;
  const characters = text.slice(from, to);
  if (into !== undefined) into.parts.push(resolved(characters, from));
  else if (!/^[\s\uFEFF]*$/.test(characters)) damaged("nothing but an element", from);
};

/**
 * Where a comment, an instruction or a stretch of plain characters ends; undefined where a tag
 * begins.
 */
const plainEnd = (text: string, at: number, into: Open | undefined): number | undefined => {
  if (text.startsWith("<!--", at)) return endOf(text, "-->", at + 4) + 3;
  if (text.startsWith("<?", at)) return endOf(text, "?>", at + 2) + 2;
  if (into !== undefined && text.startsWith("<![CDATA[", at)) {
    const end = endOf(text, "]]>", at + 9);
    into.parts.push(text.slice(at + 9, end));
    return end + 3;
  }
  return text[at + 1] === "!" ? damaged("no document type", at) : undefined;
};

const endOf = (text: string, mark: string, from: number): number => {
  const end = text.indexOf(mark, from);
  return end < 0 ? damaged(`'${mark}'`, from) : end;
};

const nameForm = /[^\s<>/=&"'?!]+/y;
const attributeForm = /\s+([^\s<>/=&"'?!]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const tagEnd = /\s*(\/?)>/y;

const readTag = (text: string, start: number): Tag => {
  const name = matchAt(nameForm, text, start + 1) ?? damaged("the name of an element", start);
  let at = start + 1 + name[0].length;
  const attributes = new Map<string, string>();
  for (;;) {
    const found = matchAt(attributeForm, text, at);
    if (found === undefined) break;
    const [all, written = "", double, single = ""] = found;
    if (attributes.has(written)) damaged("each attribute once", at);
    if (attributes.size >= maxNodes) damaged("fewer attributes", at);
    attributes.set(written, resolved(double ?? single, at));
    at += all.length;
  }
  const end = matchAt(tagEnd, text, at) ?? damaged("the end of a tag", at);
  return {
    written: name[0],
    attributes: [...attributes],
    isEmpty: end[1] === "/",
    end: at + end[0].length,
  };
};

const matchAt = (form: RegExp, text: string, at: number): RegExpExecArray | undefined => {
  form.lastIndex = at;
  return form.exec(text) ?? undefined;
};

const opening = (tag: Tag, outer: Scope | undefined, at: number): Open => {
  const declared = tag.attributes.flatMap(([written, value]): [string, string][] => {
    if (written === "xmlns") return [["", value]];
    return written.startsWith("xmlns:") ? [[written.slice(6), value]] : [];
  });
  const scope = declared.length === 0 ? outer : { own: new Map(declared), outer };
  return {
    written: tag.written,
    name: nameIn(tag.written, { scope, isAttribute: false, at }),
    attributes: tag.attributes
      .filter(([written]) => written !== "xmlns" && !written.startsWith("xmlns:"))
      .map(([written, value]) => ({ ...nameIn(written, { scope, isAttribute: true, at }), value })),
    scope,
    children: [],
    parts: [],
  };
};

const nameIn = (
  written: string,
  {
    scope,
    isAttribute,
    at,
  }: {
    readonly scope: Scope | undefined;
    readonly isAttribute: boolean;
    readonly at: number;
  },
): XmlName => {
  const colon = written.indexOf(":");
  const prefix = colon < 0 ? "" : written.slice(0, colon);
  const local = written.slice(colon + 1);
  if (prefix === "xml") return { prefix, local, uri: "http://www.w3.org/XML/1998/namespace" };
  // An attribute without a prefix is in no namespace, whatever the default one is.
  if (prefix === "" && isAttribute) return { prefix, local, uri: "" };
  for (let looked = scope; looked !== undefined; looked = looked.outer) {
    const uri = looked.own.get(prefix);
    if (uri !== undefined) return { prefix, local, uri };
  }
  return prefix === "" ? { prefix, local, uri: "" } : damaged(`a namespace for '${written}'`, at);
};

const close = (open: Open | undefined, written: string, at: number): XmlElement => {
  if (open === undefined || open.written !== written)
    return damaged(open === undefined ? "an element" : `the end of '${open.written}'`, at);
  return finished(open);
};

const finished = ({ name, attributes, children, parts }: Open): XmlElement => ({
  ...name,
  attributes,
  children,
  text: parts.join(""),
});

const entities: ReadonlyMap<string, string> = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
]);

const resolved = (characters: string, at: number): string =>
  characters.includes("&")
    ? characters.replace(/&([^;&]{0,12});?/g, (all, name: string) =>
        all.endsWith(";") ? entity(name, at) : damaged("an entity to end", at),
      )
    : characters;

const entity = (name: string, at: number): string => {
  const known = entities.get(name);
  if (known !== undefined) return known;
  const number = /^#(?:x([0-9a-f]{1,6})|([0-9]{1,7}))$/i.exec(name);
  const code = number?.[1] === undefined ? Number(number?.[2]) : Number.parseInt(number[1], 16);
  if (!(code > 0 && code <= 0x10ffff) || (code >= 0xd800 && code < 0xe000))
    return damaged("an entity of XML itself", at);
  return String.fromCodePoint(code);
};

const damaged = (expected: string, at: number): never =>
  fail("unreadable", `Expected well-formed XML in XMP: at character ${at}, ${expected}.`);
