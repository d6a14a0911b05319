/** The parts of an image request, in terms of Image API 3. */
export interface Wanted {
  readonly region: string;
  readonly size: string;
  readonly rotation: string;
  readonly quality: string;
  readonly format: string;
}

/** The versions of the Image API. */
export const versions = [3, 2, 1] as const;
export type ApiVersion = (typeof versions)[number];

/** A URL, or a sentence on why a version cannot express the request. */
export type Spelt = { readonly url: string } | { readonly reason: string };

/** The whole image, unchanged. */
export const whole: Wanted = {
  region: "full",
  size: "max",
  rotation: "0",
  quality: "default",
  format: "jpg",
};

/** The URI of an image in a version: `…/iiif/3/maps%2Fa.tif`. `server` ends with a slash. */
export const imageUrl = (server: string, version: ApiVersion, identifier: string): string =>
  `${server}iiif/${version}/${encodeURIComponent(identifier)}`;

/** The URL of a request in a version's syntax. */
export const requestUrl = (
  server: string,
  version: ApiVersion,
  { identifier, wanted }: { readonly identifier: string; readonly wanted: Wanted },
): Spelt => {
  const words = version === 3 ? wanted : older(version, wanted);
  if ("reason" in words) return words;
  const { region, size, rotation, quality, format } = words;
  const parts = [region, size, rotation].map(escaped).join("/");
  return {
    url: `${imageUrl(server, version, identifier)}/${parts}/${escaped(quality)}.${escaped(format)}`,
  };
};

/** Leaves characters that a path allows; slashes and question marks would end the segment. */
const escaped = (text: string): string =>
  encodeURIComponent(text.trim()).replace(/%(2C|3A|21|5E)/gi, decodeURIComponent);

const older = (version: 1 | 2, wanted: Wanted): Wanted | { readonly reason: string } => {
  const { region, size, rotation, quality } = wanted;
  if (version === 1 && region.trim() === "square")
    return { reason: "Version 1 has no square regions." };
  if (version === 1 && rotation.trim().startsWith("!"))
    return { reason: "Version 1 does not mirror." };
  if (size.trim() === "^max") return { reason: `Version ${version} has no word for ^max.` };
  return {
    ...wanted,
    // Before version 3, enlarging needs no mark.
    size: sizes(version, size.trim().replace(/^\^/, "")),
    quality: version === 1 ? (qualities[quality.trim()] ?? quality) : quality,
  };
};

const sizes = (version: 1 | 2, size: string): string =>
  version === 1 && size === "max" ? "full" : size;

/** Version 1 has other names for two of them. */
const qualities: Readonly<Record<string, string>> = { default: "native", gray: "grey" };
