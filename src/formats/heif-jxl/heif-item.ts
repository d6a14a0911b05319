import { area, type Rect, type Size, sameSize, upright } from "../../core/geometry.ts";
import type { HeifJxlLimits, HeifJxlPage } from "./contract.ts";
import { checkCost, type Engine, unreadable } from "./heif-engine.ts";
import { type Transformation, type VisiblePart, visiblePartOf } from "./transformations.ts";

const maxTransformations = 16;

/** Maximum bytes of a profile; longer ones are ignored. */
const largestProfile = 16_777_216;

/** An item that is a page. */
export interface HeifItem {
  readonly handle: number;
  readonly page: HeifJxlPage;
  readonly shown: VisiblePart;
  /** Tiles across and down; undefined where the image is coded as a whole. */
  readonly grid: Size | undefined;
  readonly premultiplied: boolean;
}

/** Reads an item's properties; throws `unreadable` where they are contradictory or too large. */
export const itemOf = (
  engine: Engine,
  {
    context,
    id,
    limits,
  }: { readonly context: number; readonly id: number; readonly limits: HeifJxlLimits },
): HeifItem => {
  const { heif, memory } = engine;
  const handle =
    memory.ask((error, out) => heif._heif_context_get_image_handle(error, context, id, out)) ??
    unreadable();
  try {
    const coded = {
      width: heif._heif_image_handle_get_ispe_width(handle),
      height: heif._heif_image_handle_get_ispe_height(handle),
    };
    const shown = visiblePartOf(coded, transformationsOf(engine, context, id));
    const { crop, orientation } = shown;
    const seen = {
      width: heif._heif_image_handle_get_width(handle),
      height: heif._heif_image_handle_get_height(handle),
    };
    if (!isWithin(crop, coded) || !sameSize(upright(crop, orientation), seen)) unreadable();
    const bits = heif._heif_image_handle_get_luma_bits_per_pixel(handle);
    const model = modelOf(engine, handle);
    // libheif does not list items it cannot decode, such as layers or a grid without its tiles.
    if (bits < 1 || model === undefined) return unreadable();
    const alpha = heif._heif_image_handle_has_alpha_channel(handle) !== 0;
    const tiling = tilingOf(engine, handle, coded);
    checkCost(coded, tiling.tile, { bits, limits });
    return {
      handle,
      shown,
      grid: tiling.grid,
      premultiplied: alpha && heif._heif_image_handle_is_premultiplied_alpha(handle) !== 0,
      page: {
        size: { width: crop.width, height: crop.height },
        orientation,
        tile: tiling.tile,
        bits,
        model,
        alpha,
        profile: profileOf(engine, handle),
      },
    };
  } catch (error) {
    heif._heif_image_handle_release(handle);
    throw error;
  }
};

/** A number of enum heif_colorspace. */
const monochrome = 2;

/** Its colour model; undefined where the file does not state it, or libheif does not support it. */
const modelOf = ({ heif, memory }: Engine, handle: number): "grey" | "rgb" | undefined =>
  memory.borrow(20, (error) => {
    const [space, chroma] = [error + 12, error + 16];
    heif._heif_image_handle_get_preferred_decoding_colorspace(error, handle, space, chroma);
    if (memory.view(error, 4).getInt32(0, true) !== 0) return undefined;
    return memory.view(space, 4).getInt32(0, true) === monochrome ? "grey" : "rgb";
  });

const isWithin = (crop: Rect, { width, height }: Size): boolean =>
  crop.x >= 0 &&
  crop.y >= 0 &&
  crop.width > 0 &&
  crop.height > 0 &&
  crop.x + crop.width <= width &&
  crop.y + crop.height <= height;

/** Names of boxes as numbers. */
const fourCharacters = (name: string): number => Buffer.from(name, "latin1").readUInt32BE(0);
const boxes = {
  turn: fourCharacters("irot"),
  mirror: fourCharacters("imir"),
  crop: fourCharacters("clap"),
};

const transformationsOf = (
  { heif, memory }: Engine,
  context: number,
  id: number,
): readonly Transformation[] => {
  const properties = memory.borrow(maxTransformations * 4, (address) => {
    const count = heif._heif_item_get_transformation_properties(
      context,
      id,
      address,
      maxTransformations,
    );
    const view = memory.view(address, maxTransformations * 4);
    return Array.from({ length: Math.min(count, maxTransformations) }, (_, at) =>
      view.getUint32(at * 4, true),
    );
  });
  return properties.map((property): Transformation => {
    switch (heif._heif_item_get_property_type(context, id, property) >>> 0) {
      case boxes.turn: {
        const degrees = heif._heif_item_get_property_transform_rotation_ccw(context, id, property);
        return { kind: "turn", quarters: (4 - degrees / 90) % 4 };
      }
      case boxes.mirror: {
        const isHorizontal =
          heif._heif_item_get_property_transform_mirror(context, id, property) === 1;
        return { kind: "mirror", axis: isHorizontal ? "left-right" : "top-bottom" };
      }
      case boxes.crop:
        return {
          kind: "crop",
          within: ({ width, height }) =>
            memory.borrow(16, (at) => {
              heif._heif_item_get_property_transform_crop_borders(
                context,
                id,
                property,
                width,
                height,
                at,
                at + 4,
                at + 8,
                at + 12,
              );
              const view = memory.view(at, 16);
              const [left, top] = [view.getInt32(0, true), view.getInt32(4, true)];
              const [right, bottom] = [view.getInt32(8, true), view.getInt32(12, true)];
              return {
                x: left,
                y: top,
                width: width - left - right,
                height: height - top - bottom,
              };
            }),
        };
      default:
        return unreadable();
    }
  });
};

/** struct heif_image_tiling: a version, columns, rows, width and height of tiles, and more. */
const tilingBytes = 80;

const tilingOf = (
  { heif, memory }: Engine,
  handle: number,
  coded: Size,
): { readonly tile: Size; readonly grid: Size | undefined } =>
  memory.borrow(tilingBytes + 12, (address) => {
    const error = address + tilingBytes;
    heif._heif_image_handle_get_image_tiling(error, handle, 0, address);
    if (memory.view(error, 4).getInt32(0, true) !== 0) return { tile: coded, grid: undefined };
    const view = memory.view(address, tilingBytes);
    const grid = { width: view.getUint32(4, true), height: view.getUint32(8, true) };
    const tile = { width: view.getUint32(12, true), height: view.getUint32(16, true) };
    const isGrid =
      area(grid) > 1 &&
      tile.width > 0 &&
      tile.height > 0 &&
      grid.width === Math.ceil(coded.width / tile.width) &&
      grid.height === Math.ceil(coded.height / tile.height);
    return isGrid ? { tile, grid } : { tile: coded, grid: undefined };
  });

const profileOf = ({ heif, memory }: Engine, handle: number): Uint8Array | undefined => {
  const length = heif._heif_image_handle_get_raw_color_profile_size(handle);
  if (length === 0 || length > largestProfile) return undefined;
  return memory.borrow(length, (address) => {
    const read = memory.ask((error) =>
      heif._heif_image_handle_get_raw_color_profile(error, handle, address),
    );
    return read === undefined ? undefined : memory.copy(address, length);
  });
};
