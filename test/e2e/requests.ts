/** A version of the Image API, by its number in the path. */
export type ApiVersion = 1 | 2 | 3;

export const apiVersions = [1, 2, 3] as const;

/**
 * The parts of an image request that differ from the defaults; `default`, `gray` and so on are
 * spelled for the version.
 */
export interface Parts {
  readonly region?: string;
  readonly size?: string;
  readonly rotation?: string;
  readonly quality?: string;
  /** The empty string omits it and its dot. */
  readonly format?: string;
}

/** The path of an image request; `identifier` must be encoded already. */
export const imagePath = (version: ApiVersion, identifier: string, parts: Parts = {}): string => {
  const { region = "full", size = largestWord[version], rotation = "0", format = "jpg" } = parts;
  const quality = qualityWord(version, parts.quality ?? "default");
  const suffix = format === "" ? "" : `.${format}`;
  return `${basePath(version, identifier)}/${region}/${size}/${rotation}/${quality}${suffix}`;
};

/** The path of the base URI. */
export const basePath = (version: ApiVersion, identifier: string): string =>
  `/iiif/${version}/${identifier}`;

/** The path of info.json. */
export const infoPath = (version: ApiVersion, identifier: string): string =>
  `${basePath(version, identifier)}/info.json`;

const largestWord = { 1: "full", 2: "full", 3: "max" } as const;

const qualityWord = (version: ApiVersion, quality: string): string => {
  if (version !== 1) return quality;
  return quality === "default" ? "native" : quality === "gray" ? "grey" : quality;
};
