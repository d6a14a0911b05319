import { fail } from "../../core/errors.ts";
import { area, type Size } from "../../core/geometry.ts";
import { type ReducedSamples, type Reduction, takeRows } from "../shared/index.ts";
import type { HeifJxlImage, Pixels, Tile } from "./contract.ts";
import type { TileWanted } from "./decoded-images.ts";

/**
 * Cached reductions of a page's tiles, besides full size: large reductions need all of them
 * repeatedly.
 */
const smallFactor = 8;

/** The samples of a region, reduced, from the tiles that it touches: one row of tiles at a time. */
export const partOf = (
  picture: Pick<HeifJxlImage, "pages" | "offset">,
  tileAt: (tile: TileWanted) => Tile,
  { page, reduction }: { readonly page: number; readonly reduction: Reduction },
): Pixels => {
  const { size, tile } =
    picture.pages[page] ?? fail("missing", `Expected a page up to ${picture.pages.length}.`);
  const offset = picture.offset(page);
  const at = (factor: number) => (column: number, row: number) =>
    tileAt({ page, column, row, factor });
  const isSmall =
    reduction.factor % smallFactor === 0 &&
    area(tile) < area(size) &&
    [tile.width, tile.height, offset.x, offset.y].every((length) => length % smallFactor === 0);
  if (!isSmall) return assemble(at(1), { tile, offset, reduction });
  const { region, factor, ...rest } = reduction;
  return assemble(at(smallFactor), {
    tile: { width: tile.width / smallFactor, height: tile.height / smallFactor },
    offset: { x: offset.x / smallFactor, y: offset.y / smallFactor },
    reduction: {
      ...rest,
      factor: factor / smallFactor,
      region: {
        x: region.x / smallFactor,
        y: region.y / smallFactor,
        width: Math.ceil(region.width / smallFactor),
        height: Math.ceil(region.height / smallFactor),
      },
    },
  });
};

const assemble = (
  tileAt: (column: number, row: number) => Tile,
  {
    tile,
    offset: { x: shiftX, y: shiftY },
    reduction,
  }: {
    readonly tile: Size;
    readonly offset: ReturnType<HeifJxlImage["offset"]>;
    readonly reduction: Reduction;
  },
): Pixels => {
  const { region } = reduction;
  const left = region.x + shiftX;
  const top = region.y + shiftY;
  const first = tileAt(Math.floor(left / tile.width), Math.floor(top / tile.height));
  const { channels, depth } = first;
  const rows = takeRows(reduction, { channels, depth });
  const line = newSamples(depth, region.width * channels);
  for (let y = top; y < top + region.height; ) {
    const tileRow = Math.floor(y / tile.height);
    const end = Math.min(top + region.height, (tileRow + 1) * tile.height);
    const across = spansOf(left, region.width, tile.width).map((span) => {
      const found = tileAt(span.column, tileRow);
      checkTile(found, first, {
        width: span.from + span.length,
        height: end - tileRow * tile.height,
      });
      return { ...span, tile: found };
    });
    for (; y < end; y++) {
      for (const { from, length, to, tile: source } of across) {
        const at = ((y - tileRow * tile.height) * source.size.width + from) * channels;
        line.set(source.values.subarray(at, at + length * channels), to * channels);
      }
      rows.put(y - top, line);
    }
  }
  return { values: rows.values, channels, depth };
};

const newSamples = (depth: 8 | 16, length: number): ReducedSamples =>
  depth === 8 ? new Uint8Array(length) : new Uint16Array(length);

/** The part of a row of pixels that is on a tile. */
interface RowSpan {
  readonly column: number;
  /** In pixels of the tile. */
  readonly from: number;
  readonly length: number;
  /** In pixels of the row. */
  readonly to: number;
}

const spansOf = (left: number, width: number, tile: number): RowSpan[] => {
  const spans: RowSpan[] = [];
  for (let x = left; x < left + width; ) {
    const column = Math.floor(x / tile);
    const end = Math.min(left + width, (column + 1) * tile);
    spans.push({ column, from: x - column * tile, length: end - x, to: x - left });
    x = end;
  }
  return spans;
};

const checkTile = (
  { size, channels, depth }: Tile,
  first: Tile,
  needed: { readonly width: number; readonly height: number },
): void => {
  if (size.width < needed.width || size.height < needed.height)
    fail(
      "unreadable",
      `Expected a tile of at least ${needed.width} x ${needed.height} pixels; it has ${size.width} x ${size.height}.`,
    );
  if (channels !== first.channels || depth !== first.depth)
    fail("unreadable", "Expected all tiles of the grid to be alike.");
};
