import type { XmlElement, XmlName } from "../../../core/xml.ts";

/**
 * Serialises an XML document, with all namespaces declared at its root. Elements without a valid
 * name are dropped, and so is text beside elements, which RDF never uses.
 */
export const xmlText = (root: XmlElement): string => {
  const prefixes = new Map<string, string>();
  const content = elementText(root, prefixes, true);
  const declared = [...prefixes].map(([uri, prefix]) => ` xmlns:${prefix}="${escaped(uri)}"`);
  return content.replace(mark, () => declared.join(""));
};

/** A placeholder for the declarations: XML cannot contain this character. */
const mark = "\0";

const elementText = (
  element: XmlElement,
  prefixes: Map<string, string>,
  isRoot = false,
): string => {
  const name = written(element, prefixes);
  if (name === undefined) return "";
  const attributes = element.attributes.map((one) => {
    const attribute = written(one, prefixes);
    return attribute === undefined ? "" : ` ${attribute}="${escaped(one.value)}"`;
  });
  const children = element.children.map((child) => elementText(child, prefixes));
  const content = element.children.length > 0 ? children.join("") : escaped(element.text);
  const start = `<${name}${isRoot ? mark : ""}${attributes.join("")}`;
  return content === "" ? `${start}/>` : `${start}>${content}</${name}>`;
};

const xml = "http://www.w3.org/XML/1998/namespace";
const properName = /^[\p{L}_][\p{L}\p{M}\p{N}_.-]*$/u;

/** A name with its namespace's prefix in this document; undefined where it is invalid. */
const written = (
  { prefix, local, uri }: XmlName,
  prefixes: Map<string, string>,
): string | undefined => {
  if (!properName.test(local)) return undefined;
  if (uri === "") return prefix === "" ? local : undefined;
  if (uri === xml) return `xml:${local}`;
  const known = prefixes.get(uri);
  if (known !== undefined) return `${known}:${local}`;
  const isFree =
    properName.test(prefix) && !/^xml/i.test(prefix) && ![...prefixes.values()].includes(prefix);
  const chosen = isFree ? prefix : `ns${prefixes.size + 1}_`;
  prefixes.set(uri, chosen);
  return `${chosen}:${local}`;
};

const escaped = (text: string): string =>
  text.replace(/[&<>"\t\n\r]|(?![\t\n\r])\p{Cc}|\p{Surrogate}|[\uFFFE\uFFFF]/gu, (one) => {
    const named = entities.get(one);
    if (named !== undefined) return named;
    return one === "\t" || one === "\n" || one === "\r" ? `&#${one.codePointAt(0)};` : "\uFFFD";
  });

const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
]);
