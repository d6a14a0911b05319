import {
  area,
  atLeastOne,
  fitArea,
  fitWithin,
  type Rect,
  type Size,
  sameSize,
  toWidth,
} from "../core/geometry.ts";
import { factsOf, formatOfExtension } from "../formats/registry.ts";
import { readTileOffer, type TileOffer } from "../iiif/tile-offer.ts";
import {
  passForLevels,
  sizeRequests,
  type TileRequest,
  tileLevels,
  tilesOfLevel,
} from "../iiif/tile-requests.ts";
import { type ExportVersion, information } from "./information.ts";

/** How images are exported; the same for all images of an export. */
export interface LayoutOptions {
  /** Ascending. */
  readonly versions: readonly ExportVersion[];
  /** Width and height of a tile in pixels. */
  readonly tile: number;
  /** File extensions, the preferred one first. */
  readonly formats: readonly [string, ...string[]];
  /** Longer sides of the whole image in pixels; absent: halvings up to `maxHalving`. */
  readonly sizes?: readonly number[] | undefined;
  /** Maximum pixels of the whole image; larger images are reduced. */
  readonly maxPixels: number;
  /** Whether each image gets a manifest. */
  readonly manifest: boolean;
}

/** An exported image. */
export interface ImageLayout extends LayoutOptions {
  /** Upright, in pixels. */
  readonly size: Size;
  /** Percent-encoded, by version: the URI of the image, without a slash at its end. */
  readonly uris: Readonly<Partial<Record<ExportVersion, string>>>;
}

/** A derivative to render, and the files in which it is stored. */
export interface ExportedPicture {
  /** In pixels of the image at full size. */
  readonly region: Rect;
  readonly size: Size;
  /** A file extension. */
  readonly format: string;
  readonly files: readonly ExportedFile[];
}

/** A file of an image. */
export interface ExportedFile {
  readonly version: ExportVersion;
  /** Relative to the image's folder. */
  readonly path: string;
}

/** Halvings of the whole image are listed up to this length of the longer side, in pixels. */
const maxHalving = 2_048;

/** The info.json of an image in a version of the API. */
export const infoOf = (layout: ImageLayout, version: ExportVersion): Record<string, unknown> =>
  information(version, {
    ...layout,
    uri: layout.uris[version] ?? "",
    sizes: sizesOf(layout).map((size) => inVersion(layout, version, size)),
    tiles: [{ width: layout.tile, scaleFactors: factorsOf(layout) }],
    largest: largestOf(layout),
  });

/**
 * The derivatives of an image, from the smallest level to the largest. Each is rendered once, even
 * if it has different names in the versions of the API.
 */
export const picturesOf = (layout: ImageLayout): readonly ExportedPicture[] => {
  const pictures = new Map<string, ExportedPicture & { readonly files: ExportedFile[] }>();
  for (const version of layout.versions) {
    const offer = readTileOffer(infoOf(layout, version));
    for (const format of layout.formats)
      for (const { region, size, path } of requestsOf(offer, layout, format)) {
        const key = [
          region.x,
          region.y,
          region.width,
          region.height,
          size.width,
          size.height,
          format,
        ];
        const picture = pictures.get(`${key}`) ?? { region, size, format, files: [] };
        if (!picture.files.some((file) => file.version === version && file.path === path))
          picture.files.push({ version, path });
        pictures.set(`${key}`, picture);
      }
  }
  return [...pictures.values()];
};

/** All requests that an export can answer in one version and format. */
function* requestsOf(
  offer: TileOffer,
  layout: ImageLayout,
  format: string,
): Generator<TileRequest> {
  const spelling = { format };
  for (const sizes of ["viewer", "canonical"] as const)
    for (const request of sizeRequests(offer, { ...spelling, sizes })) yield served(offer, request);
  // 2.1 §5.3 allows the listed sizes as `w,h`, too.
  for (const size of offer.sizes)
    yield wholeAs(offer, size, `${size.width},${size.height}`, format);
  const largest = largestOf(layout);
  yield wholeAs(offer, largest, keywordOf(layout, offer.version), format);
  yield wholeAs(offer, largest, `${largest.width},${largest.height}`, format);
  for (const level of tileLevels(offer))
    for (const request of tilesOfLevel(offer, level, spelling)) yield served(offer, request);
}

/** With `w,`, version 2 leaves the height to the server, which preserves the aspect ratio. */
const served = ({ version }: TileOffer, request: TileRequest): TileRequest =>
  version === 2 && /^[^/]+\/\d+,\//.test(request.path)
    ? { ...request, size: byWidth(request.region, request.size) }
    : request;

const wholeAs = (
  { width, height }: Size,
  size: Size,
  spelled: string,
  format: string,
): TileRequest => ({
  region: { x: 0, y: 0, width, height },
  size,
  path: `full/${spelled}/0/default.${format}`,
});

/** A listed size; in version 2, the one that `w,` results in. */
const inVersion = (layout: ImageLayout, version: ExportVersion, size: Size): Size =>
  version === 3 ? size : byWidth(layout.size, size);

const byWidth = (whole: Size, { width }: Size): Size => {
  const { height } = toWidth(whole, width);
  return { width, height: Math.max(1, height) };
};

/** Powers of two, up to the first at which the whole image is one tile. */
const factorsOf = ({ size, tile }: ImageLayout): readonly number[] => {
  const factors = [1];
  for (let factor = 1; longer(size) > tile * factor; factors.push(factor)) factor *= 2;
  return factors;
};

const halved = ({ width, height }: Size, factor: number): Size => ({
  width: Math.ceil(width / factor),
  height: Math.ceil(height / factor),
});

/** The size of `max`: the whole image, limited by `maxPixels` and the formats. */
export const largestOf = ({ size, maxPixels, formats }: ImageLayout): Size => {
  const side = Math.min(...formats.map(maxSide));
  const fitted =
    longer(size) <= side ? size : atLeastOne(fitWithin(size, { width: side, height: side }));
  return area(fitted) <= maxPixels ? fitted : fitArea(fitted, maxPixels);
};

/** The maximum side length of a format in pixels. */
const maxSide = (extension: string): number => {
  const format = formatOfExtension(extension);
  return format === undefined ? 0 : factsOf(format).maxSide;
};

/**
 * The sizes of the whole image, smallest first. The largest and the smallest are left out where
 * viewers would otherwise take the list for the image's levels; they are exported in any case.
 */
const sizesOf = (layout: ImageLayout): readonly Size[] => {
  const { size, sizes } = layout;
  const factors = factorsOf(layout);
  const halvings = factors.map((factor) => halved(size, factor));
  const smallest = halvings.at(-1) ?? size;
  const chosen =
    sizes === undefined
      ? halvings.filter((one) => longer(one) <= maxHalving)
      : sizes.filter((length) => length < longer(size)).map((length) => withLonger(size, length));
  const largest = largestOf(layout);
  const lists = [
    [smallest, ...chosen, largest],
    [smallest, ...chosen],
    chosen,
    [smallest, ...chosen, ...halvings],
  ].map((list) => ascending(list.filter(({ width }) => width <= largest.width)));
  const [usual = []] = lists;
  return lists.find((list) => !passForLevels(list, size, factors.length)) ?? usual;
};

/** Without those of the same width. */
const ascending = (sizes: readonly Size[]): readonly Size[] => {
  const byName = new Map(sizes.map((one) => [one.width, one]));
  return [...byName.values()].sort((one, other) => one.width - other.width);
};

/** A derivative of the whole image, with the path of its file. */
export interface SpelledSize {
  readonly size: Size;
  /** `region/size/rotation/quality.format`. */
  readonly path: string;
}

/** Minimum length of the longer side of a thumbnail in pixels, if the image has that many. */
const thumbnailSide = 200;

/** The smallest derivative of the whole image that is large enough for a thumbnail. */
export const thumbnailOf = (layout: ImageLayout, version: ExportVersion): SpelledSize => {
  const sizes = sizesOf(layout).map((size) => inVersion(layout, version, size));
  const size = sizes.find((one) => longer(one) >= thumbnailSide) ?? largestOf(layout);
  return { size, path: `full/${size.width},${size.height}/0/default.${plainFormat(layout)}` };
};

/** The largest derivative of the whole image. */
export const spelledLargest = (layout: ImageLayout, version: ExportVersion): SpelledSize => {
  const keyword = keywordOf(layout, version);
  return { size: largestOf(layout), path: `full/${keyword}/0/default.${plainFormat(layout)}` };
};

/** In version 2, `full` is the unscaled image. */
const keywordOf = (layout: ImageLayout, version: TileOffer["version"]): "full" | "max" =>
  version === 2 && sameSize(largestOf(layout), layout.size) ? "full" : "max";

/** JPEG if it is exported, since all viewers support it. */
const plainFormat = ({ formats }: ImageLayout): string =>
  formats.find((format) => format === "jpg") ?? formats[0];

const longer = ({ width, height }: Size): number => Math.max(width, height);

const withLonger = (size: Size, length: number): Size => {
  const scale = length / longer(size);
  const side = (full: number): number => Math.max(1, Math.round(full * scale));
  return { width: side(size.width), height: side(size.height) };
};
