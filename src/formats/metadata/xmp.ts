import { fail } from "../../core/errors.ts";
import { readXml, type XmlAttribute, type XmlElement, type XmlName } from "../../core/xml.ts";
import { Findings } from "./findings.ts";
import { utf8, utf16, withoutPadding } from "./text.ts";
import { type Fields, fieldsOf, type Value, type Xmp } from "./values.ts";
import { usualPrefixes } from "./xmp-namespaces.ts";

/**
 * Parses XMP (ISO 16684-1), including a JPEG's extended XMP (XMP Specification Part 3, 1.1.3.1). An
 * invalid packet is a problem, and only its text is returned.
 */
export const readXmp = async (
  block: Buffer,
  extendedBlock: Buffer | undefined,
  findings: Findings,
): Promise<Xmp> => {
  const packet = packetOf(block);
  const extended = extendedBlock && packetOf(extendedBlock);
  const properties = (await findings.attempt(() => propertiesOf(packet))) ?? [];
  const further =
    extended === undefined ? [] : await findings.attempt(() => propertiesOf(extended));
  return {
    packet,
    ...(extended !== undefined && { extended }),
    properties: fieldsOf([...properties, ...(further ?? [])]) ?? {},
  };
};

/** The name of the extended XMP in a JPEG, where the packet states one. */
export const extendedName = async (block: Buffer): Promise<string | undefined> => {
  // The packet's own parser reports the damage.
  const properties = await new Findings().attempt(() => propertiesOf(packetOf(block)));
  const name = properties?.find(([key]) => key === "xmpNote:HasExtendedXMP")?.[1];
  return typeof name === "string" ? name.trim() : undefined;
};

/** The text of a packet, which may be in UTF-16, without its padding. */
export const packetOf = (block: Buffer): string => {
  const little = block[1] === 0 || (block[0] === 0xff && block[1] === 0xfe);
  const big = block[0] === 0 || (block[0] === 0xfe && block[1] === 0xff);
  const even = block.subarray(0, block.length & ~1);
  const wide = little || big ? utf16(even, little) : undefined;
  // With a replacement character for each invalid byte: the rest is still useful.
  const text = wide ?? utf8(block) ?? block.toString("utf8");
  return withoutPadding(text.replace(/^[\s\0\uFEFF]+/, ""));
};

const rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const meta = "adobe:ns:meta/";
const xml = "http://www.w3.org/XML/1998/namespace";

export const isRdf = (name: XmlName, ...locals: readonly string[]): boolean =>
  name.uri === rdf && locals.includes(name.local);

type Property = readonly [string, Value];
type Properties = readonly Property[];

const propertiesOf = (packet: string): Properties => {
  const root = readXml(packet);
  const isMeta = root.uri === meta && (root.local === "xmpmeta" || root.local === "xapmeta");
  const graph = isMeta ? root.children.find((child) => isRdf(child, "RDF")) : root;
  if (graph === undefined || !isRdf(graph, "RDF"))
    return fail("unreadable", "The XMP has no rdf:RDF element.");
  return graph.children.filter((child) => isRdf(child, "Description")).flatMap(fieldsIn);
};

/** The properties of a description or a structure: its attributes and its elements. */
const fieldsIn = ({ attributes, children }: XmlElement): Properties => [
  ...attributes.filter(isProperty).map((one): Property => [resolveName(one), one.value]),
  ...children.map((child): Property => [resolveName(child), meaningOf(child)]),
];

const isProperty = (attribute: XmlAttribute): boolean =>
  attribute.uri !== "" &&
  attribute.uri !== xml &&
  (attribute.uri !== rdf || isRdf(attribute, "value"));

const resolveName = ({ prefix, local, uri }: XmlName): string => {
  const usual = usualPrefixes.get(uri) ?? prefix;
  return usual === "" ? local : `${usual}:${local}`;
};

/** The value of a property (ISO 16684-1, section 7). */
const meaningOf = (element: XmlElement): Value => {
  const { attributes, children, text } = element;
  const resource = attributes.find((one) => isRdf(one, "resource"));
  if (resource !== undefined) return resource.value;
  const [only] = children;
  if (only === undefined) {
    const fields = fieldsOf(fieldsIn(element));
    return text.trim() === "" && fields !== undefined ? fields : text;
  }
  const isStructure = attributes.some((one) => isRdf(one, "parseType") && one.value === "Resource");
  if (!isStructure && children.length === 1) {
    if (isRdf(only, "Bag", "Seq")) return itemsOf(only).map(meaningOf);
    if (isRdf(only, "Alt")) return alternatives(itemsOf(only));
    if (isRdf(only, "Description")) return structure(only);
  }
  return structure(element);
};

const structure = (element: XmlElement): Fields => fieldsOf(fieldsIn(element)) ?? {};

const itemsOf = ({ children }: XmlElement): readonly XmlElement[] =>
  children.filter((child) => isRdf(child, "li"));

/** By language, where each one states it. */
const alternatives = (items: readonly XmlElement[]): Value => {
  const byLanguage = items.map((item): readonly [string, Value] | undefined => {
    const language = item.attributes.find(({ uri, local }) => uri === xml && local === "lang");
    return language && [language.value, meaningOf(item)];
  });
  const told = byLanguage.filter((one) => one !== undefined);
  return told.length === items.length && told.length > 0
    ? (fieldsOf(told) ?? {})
    : items.map(meaningOf);
};
