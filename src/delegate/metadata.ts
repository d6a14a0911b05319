import type { AnswerCheck } from "../core/delegate.ts";
import { readWholeXml, type XmlElement } from "../core/xml.ts";

/**
 * Results of `metadata`: what is written into the response as XMP, without a packet wrapper; null
 * for nothing. Throws `unreadable`, with the position, where it is not well-formed XML.
 */
export const metadata: AnswerCheck<string | null> = {
  expected:
    "XMP as text (rdf:RDF, or x:xmpmeta around it) of at most 1 MiB in UTF-8, without control characters, or null",
  read(answer) {
    if (answer === null || answer === undefined) return null;
    if (typeof answer !== "string" || Buffer.byteLength(answer) > maxBytes) return undefined;
    if (forbidden.test(answer)) return undefined;
    const text = answer.replace(wrapper, "").trim();
    return holdsRdf(readWholeXml(text)) ? text : undefined;
  },
};

const maxBytes = 1_048_576;

/**
 * Characters that XML 1.0 does not allow: control characters other than white space, lone
 * surrogates, and noncharacters.
 */
const forbidden = /(?![\t\n\r])\p{Cc}|\p{Surrogate}|[\uFFFE\uFFFF]/u;

/**
 * The XML declaration, a byte order mark and the instructions at both ends of a packet: writers add
 * their own.
 */
const wrapper = /^\s*\uFEFF|<\?(?:xml|xpacket)\s[^?]*\?>/g;

const rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const meta = "adobe:ns:meta/";

const holdsRdf = (root: XmlElement): boolean => {
  const isRdf = ({ uri, local }: XmlElement): boolean => uri === rdf && local === "RDF";
  return (
    isRdf(root) || (root.uri === meta && root.local === "xmpmeta" && root.children.some(isRdf))
  );
};
