/** What a request for an image says, in the words of version 3 of the Image API. */
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

/** An address, or a sentence on why a version has no words for it. */
export type Spelt = { readonly url: string } | { readonly reason: string };

/** The whole image as it is. */
export const whole: Wanted = {
  region: "full",
  size: "max",
  rotation: "0",
  quality: "default",
  format: "jpg",
};

/**
 * Where an image is to be found by a version: `…/iiif/3/maps%2Fa.tif`. `server` ends with a slash.
 */
export const imageUrl = (server: string, version: ApiVersion, identifier: string): string =>
  `${server}iiif/${version}/${encodeURIComponent(identifier)}`;

/** The address of a request in a version's own words. */
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

/** What may stand in a path is left as it is; slashes and question marks would end the segment. */
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
    // Before version 3 nothing had to say that it enlarges.
    size: sizes(version, size.trim().replace(/^\^/, "")),
    quality: version === 1 ? (qualities[quality.trim()] ?? quality) : quality,
  };
};

const sizes = (version: 1 | 2, size: string): string =>
  version === 1 && size === "max" ? "full" : size;

/** Version 1 has other names for two of them. */
const qualities: Readonly<Record<string, string>> = { default: "native", gray: "grey" };
