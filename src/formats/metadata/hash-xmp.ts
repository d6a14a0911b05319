import { readXml, type XmlElement, type XmlName } from "../../core/xml.ts";
import type { Findings } from "./findings.ts";
import { isRdf, packetOf } from "./xmp.ts";

/** XMP in the form of Cantaloupe's delegates. */
export type XmpHash = {
  /** The packet's element `rdf:RDF` as stored; absent where there is none. */
  readonly xmp_string?: string;
  /** Values by `prefix:name`, or by the URI where Cantaloupe knows no prefix, sorted by name. */
  readonly xmp_elements: Readonly<Record<string, XmpHashValue>>;
};

type XmpHashValue = string | readonly string[];

/** The properties of XMP, including a JPEG's extended XMP; of an invalid packet only the text. */
export const xmpHash = async (
  block: Buffer | undefined,
  extended: Buffer | undefined,
  findings: Findings,
): Promise<XmpHash> => {
  if (block === undefined) return { xmp_elements: {} };
  const packet = packetOf(block);
  const text = graphIn(packet);
  const elements = new Elements();
  for (const one of [packet, ...(extended ? [packetOf(extended)] : [])])
    await findings.attempt(() => elements.takeGraph(readXml(one)));
  return { ...(text === undefined ? {} : { xmp_string: text }), xmp_elements: elements.hash };
};

/** From the beginning of `rdf:RDF` to its end, whatever its prefix. */
const graphIn = (packet: string): string | undefined => {
  const start = /<(?:([A-Za-z_][\w.-]*):)?RDF[\s>]/.exec(packet);
  if (start === null) return undefined;
  const end = `</${start[1] === undefined ? "" : `${start[1]}:`}RDF`;
  const at = packet.lastIndexOf(end);
  const close = at < start.index ? -1 : packet.indexOf(">", at);
  return close < 0 ? undefined : packet.slice(start.index, close + 1);
};

class Elements {
  readonly #found = new Map<string, { readonly values: string[]; isList: boolean }>();

  get hash(): XmpHash["xmp_elements"] {
    const sorted = [...this.#found].sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(
      sorted.map(([name, { values, isList }]) => [
        name,
        isList || values.length > 1 ? values : (values[0] ?? ""),
      ]),
    );
  }

  takeGraph(root: XmlElement): void {
    const graph = isRdf(root, "RDF") ? root : root.children.find((child) => isRdf(child, "RDF"));
    for (const child of graph?.children ?? [])
      if (isRdf(child, "Description")) this.#takeFields(child);
  }

  /** Structures are flattened: their fields are listed among those of the description. */
  #takeFields({ attributes, children }: XmlElement): void {
    for (const one of attributes)
      if (isPredicate(one)) this.#add(resolveName(one), [one.value], false);
    for (const child of children) this.#takeProperty(child);
  }

  #takeProperty(element: XmlElement): void {
    const name = resolveName(element);
    const [only] = element.children;
    const resource = element.attributes.find((one) => isRdf(one, "resource"));
    if (resource !== undefined) this.#add(name, [resource.value], false);
    else if (only === undefined && element.attributes.some(isPredicate)) this.#takeFields(element);
    else if (only === undefined) this.#add(name, [element.text.trim()], false);
    else if (isRdf(only, "Bag", "Seq", "Alt")) this.#takeItems(name, only);
    else if (isRdf(only, "Description")) this.#takeFields(only);
    else this.#takeFields(element);
  }

  #takeItems(name: string, { children }: XmlElement): void {
    const values: string[] = [];
    for (const item of children) {
      const resource = item.attributes.find((one) => isRdf(one, "resource"));
      const [only] = item.children;
      if (resource !== undefined) values.push(resource.value);
      else if (only === undefined && !item.attributes.some(isPredicate))
        values.push(item.text.trim());
      else this.#takeFields(only !== undefined && isRdf(only, "Description") ? only : item);
    }
    if (values.length > 0) this.#add(name, values, true);
  }

  #add(name: string, values: readonly string[], isList: boolean): void {
    const before = this.#found.get(name);
    if (before === undefined) this.#found.set(name, { values: [...values], isList });
    else {
      before.values.push(...values);
      before.isList ||= isList;
    }
  }
}

const rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const xml = "http://www.w3.org/XML/1998/namespace";

const isPredicate = ({ uri, local }: XmlName): boolean =>
  uri !== "" && uri !== xml && (uri !== rdf || local === "value");

const resolveName = ({ uri, local }: XmlName): string => {
  const prefix = prefixes.get(uri);
  return prefix === undefined ? uri + local : `${prefix}:${local}`;
};

/** The prefixes that Cantaloupe knows. */
const prefixes: ReadonlyMap<string, string> = new Map([
  ["http://ns.adobe.com/camera-raw-settings/1.0/", "crs"],
  ["http://purl.org/dc/elements/1.1/", "dc"],
  ["http://purl.org/dc/terms/", "dcterms"],
  ["http://ns.adobe.com/exif/1.0/", "exif"],
  ["http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/", "Iptc4xmpCore"],
  ["http://ns.adobe.com/iX/1.0/", "iX"],
  ["http://ns.adobe.com/pdf/1.3/", "pdf"],
  ["http://ns.adobe.com/photoshop/1.0/", "photoshop"],
  ["http://ns.adobe.com/tiff/1.0/", "tiff"],
  ["http://ns.adobe.com/xap/1.0/", "xmp"],
  ["http://ns.adobe.com/xap/1.0/bj/", "xmpBJ"],
  ["http://ns.adobe.com/xmp/1.0/DynamicMedia/", "xmpDM"],
  ["http://ns.adobe.com/xmp/Identifier/qual/1.0/", "xmpidq"],
  ["http://ns.adobe.com/xap/1.0/mm/", "xmpMM"],
  ["http://ns.adobe.com/xap/1.0/rights/", "xmpRights"],
  ["http://ns.adobe.com/xap/1.0/t/pg/", "xmpTPg"],
]);
