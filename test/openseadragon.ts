import type { Size } from "../src/core/geometry.ts";

/** What OpenSeadragon reads of version 3's info.json. */
export interface ViewedInfo extends Size {
  readonly id: string;
  readonly sizes?: readonly Size[];
  readonly tiles?: readonly (Size & { readonly scaleFactors: readonly number[] })[];
}

/**
 * The URLs of all tiles that OpenSeadragon 6 requests, from the smallest level to the largest
 * (`IIIFTileSource`): its levels are the listed sizes where there is one for each scale factor,
 * else the size divided and rounded up.
 */
export const openSeadragonTiles = (info: ViewedInfo): readonly string[] => {
  const grids = new Map(
    (info.tiles ?? []).flatMap((tile) => tile.scaleFactors.map((factor) => [factor, tile])),
  );
  const max = Math.max(...grids.keys());
  const top = Math.round(Math.log2(max));
  const listed = listedLevels(info, { top, factors: [...grids.keys()] });
  return Array.from({ length: top + 1 }, (_, level) => {
    const factor = 2 ** (top - level);
    const size = listed?.[level] ?? {
      width: Math.ceil(info.width / factor),
      height: Math.ceil(info.height / factor),
    };
    const tile = grids.get(factor) ?? info.tiles?.[0];
    if (tile === undefined) throw new Error("Expected info.json to list tiles.");
    return tilesOfLevel(info, { factor, size, tile });
  }).flat();
};

const listedLevels = (
  { width, height, sizes = [] }: ViewedInfo,
  { top, factors }: { readonly top: number; readonly factors: readonly number[] },
): readonly Size[] | undefined => {
  const sorted = [...sizes].sort((one, other) => one.width - other.width);
  const largest = sorted.at(-1);
  if (largest !== undefined && largest.width < width && largest.height < height)
    sorted.push({ width, height });
  const fits = sorted.every((size, n) => {
    const factor = factors[sorted.length - n - 1];
    return Math.round(width / size.width) === factor && Math.round(height / size.height) === factor;
  });
  return sorted.length === top + 1 && fits ? sorted : undefined;
};

const tilesOfLevel = (
  info: ViewedInfo,
  { factor, size, tile }: { readonly factor: number; readonly size: Size; readonly tile: Size },
): readonly string[] => {
  if (size.width < tile.width && size.height < tile.height) {
    const isWhole = size.width === info.width && size.height === info.height;
    return [urlOf(info, "full", isWhole ? "max" : `${size.width},${size.height}`)];
  }
  const columns = alongSide(info.width, { factor, size: size.width, tile: tile.width });
  const rows = alongSide(info.height, { factor, size: size.height, tile: tile.height });
  return rows.flatMap((row) =>
    columns.map((column) => {
      const isFull = column.region === info.width && row.region === info.height;
      const region = `${column.at},${row.at},${column.region},${row.region}`;
      const isWhole = column.size === info.width && row.size === info.height;
      const wanted = `${column.size},${row.size}`;
      return urlOf(info, isFull ? "full" : region, isWhole ? "max" : wanted);
    }),
  );
};

/** The tiles of a level on one side of the image: their positions, extents, and sizes. */
const alongSide = (
  whole: number,
  { factor, size, tile }: { readonly factor: number; readonly size: number; readonly tile: number },
) =>
  Array.from({ length: Math.ceil(size / tile) }, (_, index) => {
    const at = index * tile * factor;
    return {
      at,
      region: Math.min(tile * factor, whole - at),
      size: Math.min(tile, size - index * tile),
    };
  });

const urlOf = ({ id }: ViewedInfo, region: string, size: string): string =>
  `${id}/${region}/${size}/0/default.jpg`;
