import type { FormatName } from "../../../core/formats.ts";
import { type Rect, sameSize } from "../../../core/geometry.ts";
import type { Steps } from "../../../core/steps.ts";
import { simpleWebp, webpWithProfile } from "../../containers/index.ts";
import { type JpegCropper, maxCropBytes } from "../../jpeg-crop/index.ts";
import {
  compressions,
  photometrics,
  readBytes,
  type StoredLevel,
  type TiffFile,
  tags,
} from "../structure/index.ts";
import { cachedHead, hasWholeJpegs, jpegHead, roomFor, wholeJpegIn } from "./jpeg.ts";
import { cachedTile, fillTiles, type StoredTile, storedTiles } from "./tiles.ts";

const largestTile = 16_777_216;
const largestProfile = 16_777_216;

/** A requested part of a level, as stored. */
export interface WantedTile {
  /** In pixels of the level. */
  readonly region: Rect;
  readonly format: FormatName;
  /** Whether the page's profile has to be in the output. */
  readonly profiled: boolean;
  /** Crops tiles at the edges of a level; absent: they are left to the next way. */
  readonly cropper: JpegCropper | undefined;
}

/**
 * The file that a stored tile is, where a region is exactly what one tile shows of the level and the
 * tile's compression is the requested format; undefined wherever that would not be the image bit for
 * bit. No steps where `whyNotStored` says so.
 */
export const storedTile = (
  file: TiffFile,
  level: StoredLevel,
  wanted: WantedTile,
): Steps<Uint8Array | undefined> | undefined => {
  if (whyNotStored(level, wanted) !== undefined) return undefined;
  return wanted.format === "jpg" ? asJpeg(file, level, wanted) : asWebp(file, level, wanted);
};

/**
 * Why no stored tile of a level matches the request; undefined where, by the structure, one does.
 */
export const whyNotStored = (
  level: StoredLevel,
  { region, format }: Pick<WantedTile, "region" | "format">,
): string | undefined => {
  if (!isOneTile(level, region)) return "it is not exactly one whole stored tile";
  if (format === "webp" && hasWholeWebps(level))
    return sameSize(region, level.tile)
      ? undefined
      : "stored WebP tiles at the edges of the level are larger";
  return format === "jpg" && hasWholeJpegs(level)
    ? undefined
    : "the stored tiles are not images in the requested format";
};

/** Whether a region is all of the level that one of its tiles shows. */
const isOneTile = ({ tiled, tile, size }: StoredLevel, region: Rect): boolean =>
  tiled &&
  region.x % tile.width === 0 &&
  region.y % tile.height === 0 &&
  region.width === Math.min(tile.width, size.width - region.x) &&
  region.height === Math.min(tile.height, size.height - region.y);

const isFit = (place: StoredTile | undefined): place is StoredTile =>
  place !== undefined && place.length > 0 && place.length <= largestTile;

const hasWholeWebps = (level: StoredLevel): boolean =>
  level.compression === compressions.webp &&
  !level.planar &&
  level.bits === 8 &&
  level.samples === 3 &&
  level.extra.length === 0 &&
  level.photometric === photometrics.rgb;

/** In memory of its own. */
function* asJpeg(
  file: TiffFile,
  level: StoredLevel,
  { region, profiled, cropper }: WantedTile,
): Steps<Uint8Array | undefined> {
  const place = cachedTile(file, level, region) ?? (yield* storedTiles(file, level, region))[0];
  if (!isFit(place)) return undefined;
  const { offset, length } = place;
  const isPadded = !sameSize(region, level.tile);
  // The next way would read it again.
  if (isPadded && (cropper === undefined || length > maxCropBytes)) return undefined;
  const head = cachedHead(file, level, profiled) ?? (yield* jpegHead(file, level, profiled));
  if (head === undefined) return undefined;
  const before = roomFor(head);
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(before + length).buffer);
  yield* file.bytes.read([{ offset, length, into: bytes.subarray(before) }]);
  const jpeg = wholeJpegIn(level, head, bytes);
  return jpeg && isPadded ? cropper?.crop(jpeg, level.tile, region) : jpeg;
}

function* asWebp(
  file: TiffFile,
  level: StoredLevel,
  { region, profiled }: WantedTile,
): Steps<Uint8Array | undefined> {
  const [place] = yield* storedTiles(file, level, region);
  if (!isFit(place)) return undefined;
  const [tile = new Uint8Array(0)] = yield* fillTiles(file, [place]);
  const webp = simpleWebp(tile);
  if (webp === undefined || webp.alpha || !sameSize(webp.size, level.tile)) return undefined;
  if (!profiled) return webp.bytes;
  const entry = level.directory.entries.get(tags.iccProfile);
  const profile = entry && (yield* readBytes(file, entry, largestProfile));
  return profile && webpWithProfile(webp, profile);
}
