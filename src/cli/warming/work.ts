import { ServerError } from "../../core/errors.ts";
import { area, type Size } from "../../core/geometry.ts";
import { readTileOffer, type TileOffer } from "../../iiif/tile-offer.ts";
import { type TileLevel, tileLevels, tilesOfLevel } from "../../iiif/tile-requests.ts";
import type { Version } from "../../iiif/version.ts";

/** What can be warmed. */
export const warmKinds = ["pyramids", "info", "thumbnails", "levels", "tiles"] as const;
export type WarmKind = (typeof warmKinds)[number];

/** What to warm of each image. */
export interface WarmWork {
  readonly kinds: ReadonlySet<WarmKind>;
  /** The versions whose info.json is requested, and those whose images are; latest first. */
  readonly infoVersions: readonly Version["number"][];
  readonly imageVersions: readonly Version["number"][];
  /** As `region/size/rotation/quality.format`. */
  readonly thumbnails: readonly string[];
  /** The number of levels, smallest first. */
  readonly levels: number;
  /** File extension of tiles; absent: as viewers choose it. */
  readonly format?: string | undefined;
}

/** The work on an image as text for the journal; equal work has equal text. */
export const workText = (work: WarmWork): string => {
  const { kinds, infoVersions, imageVersions, thumbnails, levels, format } = work;
  const images = `v${imageVersions.join("+")}`;
  const tiles = format === undefined ? images : `${images}.${format}`;
  return [
    ...(kinds.has("pyramids") ? ["pyramids"] : []),
    ...(kinds.has("info") ? [`info:v${infoVersions.join("+")}`] : []),
    ...(kinds.has("thumbnails") ? [`thumbnails:${images}:${thumbnails.join("+")}`] : []),
    ...(kinds.has("tiles") ? [`tiles:${tiles}`] : []),
    ...(kinds.has("levels") && !kinds.has("tiles") ? [`levels${levels}:${tiles}`] : []),
  ].join(" ");
};

/** Whether the tiles of an image are needed. */
export const needsTiles = ({ kinds }: WarmWork): boolean =>
  kinds.has("tiles") || kinds.has("levels");

/** The versions of which an info.json is requested: for itself, or for its tiles. */
export const infoVersionsOf = (work: WarmWork): readonly Version["number"][] => [
  ...new Set([
    ...(work.kinds.has("info") ? work.infoVersions : []),
    ...(needsTiles(work) ? work.imageVersions : []),
  ]),
];

/** The paths of thumbnails; `segment` is the identifier's. */
export const thumbnailPaths = (
  { kinds, imageVersions, thumbnails }: WarmWork,
  segment: string,
): readonly string[] =>
  kinds.has("thumbnails")
    ? imageVersions.flatMap((version) =>
        thumbnails.map((request) => `/iiif/${version}/${segment}/${spelledFor(version, request)}`),
      )
    : [];

/** Version 1.1 has another name for the default quality. */
const spelledFor = (version: Version["number"], request: string): string =>
  version === 1 ? request.replace(/\/default\.(\w+)$/, "/native.$1") : request;

/** The levels to warm of an image. */
export const wantedLevels = (work: WarmWork, offer: TileOffer): readonly TileLevel[] => {
  if (!needsTiles(work)) return [];
  const levels = tileLevels(offer);
  return work.kinds.has("tiles") ? levels : levels.slice(0, work.levels);
};

/** The number of tiles of levels. */
export const tilesIn = (levels: readonly TileLevel[]): number =>
  levels.reduce((sum, { columns, rows }) => sum + columns * rows, 0);

/** The paths of the tiles of levels. */
export function* tilePaths(
  { format }: Pick<WarmWork, "format">,
  { offer, levels }: { readonly offer: TileOffer; readonly levels: readonly TileLevel[] },
  segment: string,
): Generator<string> {
  const spelling = format === undefined ? {} : { format };
  for (const level of levels)
    for (const { path } of tilesOfLevel(offer, level, spelling))
      yield `/iiif/${offer.version}/${segment}/${path}`;
}

/** Full-size tiles, each of which needs most of an image without a pyramid to be decoded. */
export const slowPaths = (offer: TileOffer, segment: string): readonly string[] => {
  const largest = tileLevels(offer).at(-1);
  if (largest === undefined) return [];
  const last: string[] = [];
  // The bottom right corner is decoded last.
  for (const { path } of tilesOfLevel(offer, largest)) {
    last.push(`/iiif/${offer.version}/${segment}/${path}`);
    if (last.length > maxSlow) last.shift();
  }
  return last;
};

const maxSlow = 4;

/** What an info.json offers; undefined where it cannot be read. */
export const offerIn = (text: string): TileOffer | undefined => {
  try {
    return readTileOffer(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ServerError) return undefined;
    throw error;
  }
};

/** Estimated bytes of tiles: a dry run decodes nothing. */
export const estimatedBytes = (levels: readonly TileLevel[], format: string | undefined): number =>
  levels.reduce((sum, { size }) => sum + bytesOf(size, format), 0);

/** Estimated bytes of a thumbnail, by the numbers in its size. */
export const estimatedThumbnail = (request: string): number => {
  const [, size = ""] = request.split("/");
  const [first = usualSide, second = first] = (size.match(/\d+/g) ?? []).map(Number);
  return bytesOf({ width: first, height: second }, request.split(".").at(-1));
};

const usualSide = 200;

const bytesOf = (size: Size, format: string | undefined): number =>
  area(size) * (bytesPerPixel[format ?? "jpg"] ?? 2);

/** Of photographs in usual quality. */
const bytesPerPixel: Readonly<Record<string, number>> = { jpg: 0.25, webp: 0.2, avif: 0.15 };
