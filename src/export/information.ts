import { type Size, sameSize } from "../core/geometry.ts";
import { document } from "../iiif/information.ts";
import { v2 } from "../iiif/v2.ts";
import { v3 } from "../iiif/v3.ts";

/** A version of the Image API that can be exported. */
export type ExportVersion = 2 | 3;

/** The content of the info.json of an exported image. */
export interface ExportedFacts {
  /** Without a slash at its end. */
  readonly uri: string;
  readonly size: Size;
  readonly sizes: readonly Size[];
  readonly tiles: readonly { readonly width: number; readonly scaleFactors: readonly number[] }[];
  /** File extensions, the preferred one first. */
  readonly formats: readonly string[];
  /** In which the whole image is offered. */
  readonly largest: Size;
}

/** The info.json of an image that is served as static files: compliance level 0. */
export const information = (
  version: ExportVersion,
  facts: ExportedFacts,
): Record<string, unknown> => (version === 3 ? information3(facts) : information2(facts));

const common = ({ size, sizes, tiles }: ExportedFacts) => ({
  width: size.width,
  height: size.height,
  sizes,
  tiles,
});

/** 2.1 §5.3 and 3.0 §5.3: they limit `max`, but not tiles, which are smaller. */
const limits = ({ size, largest }: ExportedFacts) =>
  sameSize(size, largest) ? {} : { maxWidth: largest.width, maxHeight: largest.height };

const information3 = (facts: ExportedFacts): Record<string, unknown> => {
  const { uri, formats } = facts;
  const isPlain = formats.length === 1 && formats[0] === "jpg";
  return document(
    {
      "@context": v3.context,
      id: uri,
      type: "ImageService3",
      protocol: "http://iiif.io/api/image",
      profile: "level0",
      ...common(facts),
      ...limits(facts),
      preferredFormats: isPlain ? [] : formats,
      extraFormats: formats.filter((format) => format !== "jpg"),
    },
    {},
  );
};

const information2 = (facts: ExportedFacts): Record<string, unknown> => {
  const extra = document(
    { formats: facts.formats.filter((format) => format !== "jpg"), ...limits(facts) },
    {},
  );
  return document(
    {
      "@context": v2.context,
      "@id": facts.uri,
      protocol: "http://iiif.io/api/image",
      ...common(facts),
      profile: [level0, ...(Object.keys(extra).length > 0 ? [extra] : [])],
    },
    {},
  );
};

const level0 = "http://iiif.io/api/image/2/level0.json";
