import { readXml, type XmlElement, type XmlName } from "../../../core/xml.ts";
import { isRdf, packetOf } from "../../metadata/index.ts";
import { xmlText } from "./xml-text.ts";

/** Maximum bytes of copied XMP: what fits into one segment of a JPEG with its wrapper. */
const longest = 65_000;

/**
 * RDF of an XMP packet that also applies to derivatives: without embedded previews, properties of
 * the file's pixels, and references to data elsewhere in the file. Undefined where that is too
 * long. Throws `unreadable` where the packet is not well-formed XML.
 */
export const keptXmp = (block: Buffer): string | undefined => {
  const root = readXml(packetOf(block));
  const graph = isRdf(root, "RDF") ? root : root.children.find((child) => isRdf(child, "RDF"));
  const text = graph && xmlText(cleaned(graph));
  return text === undefined || Buffer.byteLength(text) > longest ? undefined : text;
};

const cleaned = (element: XmlElement): XmlElement => ({
  ...element,
  attributes: element.attributes.filter((one) => isKept(one) && !isPicture(one.value)),
  children: element.children
    .filter((child) => isKept(child) && !isPicture(child.text))
    .map(cleaned),
});

const isKept = ({ uri, local }: XmlName): boolean =>
  !previews.has(uri) && leftOut[uri]?.includes(local) !== true;

/** XMP namespaces of embedded images, depth and audio, and of references to them. */
const previews: ReadonlySet<string> = new Set([
  "http://ns.adobe.com/xap/1.0/g/img/",
  "http://ns.adobe.com/xmp/note/",
  "http://ns.google.com/photos/1.0/image/",
  "http://ns.google.com/photos/1.0/depthmap/",
  "http://ns.google.com/photos/1.0/audio/",
  "http://ns.google.com/photos/1.0/container/",
]);

const leftOut: Readonly<Record<string, readonly string[]>> = {
  "http://ns.adobe.com/xap/1.0/": ["Thumbnails"],
  "http://ns.adobe.com/tiff/1.0/": [
    "Orientation",
    "ImageWidth",
    "ImageLength",
    "BitsPerSample",
    "Compression",
    "PhotometricInterpretation",
    "SamplesPerPixel",
    "PlanarConfiguration",
    "YCbCrSubSampling",
    "XResolution",
    "YResolution",
    "ResolutionUnit",
    "NativeDigest",
  ],
  "http://ns.adobe.com/exif/1.0/": [
    "PixelXDimension",
    "PixelYDimension",
    "ColorSpace",
    "NativeDigest",
  ],
  // Document ancestors are thousands of ids of files that parts were once copied from.
  "http://ns.adobe.com/photoshop/1.0/": ["ColorMode", "DocumentAncestors", "ICCProfile"],
  "http://purl.org/dc/elements/1.1/": ["format"],
};

/** Whether a value looks like base64 data, whatever it is called: longer than a key or a digest. */
const isPicture = (value: string): boolean =>
  value.length > 1_024 && /^[\w+/=\s-]{1024}/.test(value) && !/\S[ ]\S/.test(value.slice(0, 1_024));
