import type { FormatName } from "../core/formats.ts";
import { type Rect, sameSize } from "../core/geometry.ts";
import { readBytes, type TiffFile } from "./tiff-directory.ts";
import { hasWholeJpegs, jpegHead, wholeJpeg } from "./tiff-jpeg.ts";
import type { StoredLevel } from "./tiff-pages.ts";
import { compressions, photometrics, tags } from "./tiff-tags.ts";
import { fillTiles, storedTiles } from "./tiff-tiles.ts";
import { simpleWebp, webpWithProfile } from "./webp-chunks.ts";

const largestTile = 16_777_216;
const largestProfile = 16_777_216;

/** What is wanted of a level as it is stored. */
export interface WantedTile {
  /** In pixels of the level. */
  readonly region: Rect;
  readonly format: FormatName;
  /** Whether the page's profile has to be in the answer. */
  readonly profiled: boolean;
  readonly signal: AbortSignal;
}

/**
 * The file that a stored tile is, where a region is exactly one tile and the tile's compression is
 * the format that is wanted; undefined wherever that would not be the picture to the last bit.
 */
export const storedTile = async (
  file: TiffFile,
  level: StoredLevel,
  wanted: WantedTile,
): Promise<Uint8Array | undefined> => {
  const { region, format, signal } = wanted;
  if (whyNotStored(level, wanted) !== undefined) return undefined;
  const [place] = await storedTiles(file, level, { area: region, signal });
  if (place === undefined || place.length === 0 || place.length > largestTile) return undefined;
  const [tile] = await fillTiles(file, [place], signal);
  if (tile === undefined) return undefined;
  return format === "jpg"
    ? asJpeg(file, level, { ...wanted, tile })
    : asWebp(file, level, { ...wanted, tile });
};

/** Why no stored tile of a level is what is wanted; undefined where, by the structure, one is. */
export const whyNotStored = (
  level: StoredLevel,
  { region, format }: Pick<WantedTile, "region" | "format">,
): string | undefined => {
  if (!isOneTile(level, region)) return "it is not exactly one whole stored tile";
  return (format === "jpg" && hasWholeJpegs(level)) || (format === "webp" && hasWholeWebps(level))
    ? undefined
    : "the stored tiles are no pictures of the format that is wanted";
};

const isOneTile = ({ tiled, tile, size }: StoredLevel, region: Rect): boolean =>
  tiled &&
  sameSize(region, tile) &&
  region.x % tile.width === 0 &&
  region.y % tile.height === 0 &&
  region.x + region.width <= size.width &&
  region.y + region.height <= size.height;

const hasWholeWebps = (level: StoredLevel): boolean =>
  level.compression === compressions.webp &&
  !level.planar &&
  level.bits === 8 &&
  level.samples === 3 &&
  level.extra.length === 0 &&
  level.photometric === photometrics.rgb;

type Found = WantedTile & { readonly tile: Uint8Array };

const asJpeg = async (file: TiffFile, level: StoredLevel, { tile, profiled, signal }: Found) => {
  const head = await jpegHead(file, level, { profiled, signal });
  return head && wholeJpeg(level, head, tile);
};

const asWebp = async (file: TiffFile, level: StoredLevel, { tile, profiled, signal }: Found) => {
  const webp = simpleWebp(tile);
  if (webp === undefined || webp.alpha || !sameSize(webp.size, level.tile)) return undefined;
  if (!profiled) return webp.bytes;
  const entry = level.directory.entries.get(tags.iccProfile);
  const profile = entry && (await readBytes(file, entry, { signal, most: largestProfile }));
  return profile && webpWithProfile(webp, profile);
};
