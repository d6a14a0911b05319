/** The namespace declaration of RDF. */
const rdf = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"';

/**
 * RDF as an XMP packet that is not meant to be edited in place, so without padding (ISO 16684-1,
 * 7.3).
 */
export const xmpPacket = (xmp: string): Buffer =>
  Buffer.from(
    `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>\n${xmpMeta(xmp)}\n<?xpacket end="r"?>`,
  );

/** RDF within the element `x:xmpmeta`, which many readers look for. */
export const xmpMeta = (xmp: string): string =>
  /<(?:[\w.-]+:)?(RDF|xmpmeta)[\s>/]/.exec(xmp)?.[1] === "RDF"
    ? `<x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="Vitrine">\n${xmp}\n</x:xmpmeta>`
    : xmp;

/** A packet that references extended XMP (XMP Specification Part 3, 1.1.3.1). */
export const packetNaming = (digest: string): Buffer =>
  xmpPacket(
    `<rdf:RDF ${rdf}><rdf:Description rdf:about="" xmlns:xmpNote="http://ns.adobe.com/xmp/note/" xmpNote:HasExtendedXMP="${digest}"/></rdf:RDF>`,
  );
