import { createRequire } from "node:module";

/**
 * The used part of libheif's C interface (libheif/heif.h): addresses and handles are numbers, 0 is
 * null.
 */
export interface Libheif {
  /** Replaced when its memory grows. */
  readonly HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _free(address: number): void;
  _heif_context_alloc(): number;
  _heif_context_free(context: number): void;
  _heif_context_get_security_limits(context: number): number;
  _heif_context_read_from_memory(
    ...args: [error: number, context: number, bytes: number, length: number, options: number]
  ): void;
  _heif_context_get_number_of_top_level_images(context: number): number;
  _heif_context_get_list_of_top_level_image_IDs(
    context: number,
    ids: number,
    count: number,
  ): number;
  _heif_context_get_primary_image_ID(error: number, context: number, id: number): void;
  _heif_context_get_image_handle(error: number, context: number, id: number, out: number): void;
  _heif_image_handle_release(handle: number): void;
  _heif_image_handle_get_width(handle: number): number;
  _heif_image_handle_get_height(handle: number): number;
  _heif_image_handle_get_ispe_width(handle: number): number;
  _heif_image_handle_get_ispe_height(handle: number): number;
  _heif_image_handle_has_alpha_channel(handle: number): number;
  _heif_image_handle_is_premultiplied_alpha(handle: number): number;
  _heif_image_handle_get_luma_bits_per_pixel(handle: number): number;
  _heif_image_handle_get_preferred_decoding_colorspace(
    ...args: [error: number, handle: number, space: number, chroma: number]
  ): void;
  _heif_image_handle_get_raw_color_profile_size(handle: number): number;
  _heif_image_handle_get_raw_color_profile(error: number, handle: number, out: number): void;
  _heif_image_handle_get_image_tiling(
    ...args: [error: number, handle: number, transformed: number, out: number]
  ): void;
  _heif_item_get_transformation_properties(
    ...args: [context: number, id: number, properties: number, count: number]
  ): number;
  _heif_item_get_property_type(context: number, id: number, property: number): number;
  _heif_item_get_property_transform_mirror(context: number, id: number, property: number): number;
  _heif_item_get_property_transform_rotation_ccw(
    context: number,
    id: number,
    property: number,
  ): number;
  _heif_item_get_property_transform_crop_borders(
    ...args: [
      context: number,
      id: number,
      property: number,
      width: number,
      height: number,
      left: number,
      top: number,
      right: number,
      bottom: number,
    ]
  ): void;
  _heif_decoding_options_alloc(): number;
  _heif_decode_image(
    ...args: [
      error: number,
      handle: number,
      out: number,
      space: number,
      chroma: number,
      options: number,
    ]
  ): void;
  _heif_image_handle_decode_image_tile(
    ...args: [
      error: number,
      handle: number,
      out: number,
      space: number,
      chroma: number,
      options: number,
      column: number,
      row: number,
    ]
  ): void;
  _heif_image_release(image: number): void;
  _heif_image_get_width(image: number, channel: number): number;
  _heif_image_get_height(image: number, channel: number): number;
  _heif_image_get_bits_per_pixel_range(image: number, channel: number): number;
  _heif_image_get_plane_readonly2(image: number, channel: number, stride: number): number;
}

const bundle = "libheif-js/libheif-wasm/libheif-bundle.js";

/** Starts libheif for this thread alone. Its own memory limit is 2 GB. */
export const startLibheif = (): Libheif => {
  const start = createRequire(import.meta.url)(bundle) as (given: object) => Libheif;
  return start(quiet);
};

/** Keeps a decoder's messages about corrupt data out of the server's output. */
const quiet = { print() {}, printErr() {} };

/** Reads and writes libheif's memory. */
export class HeifMemory {
  readonly #heif: Libheif;

  constructor(heif: Libheif) {
    this.#heif = heif;
  }

  /** Of its memory, which never shrinks. */
  get bytes(): number {
    return this.#heif.HEAPU8.length;
  }

  /** Allocates memory for the duration of `use`. */
  borrow<T>(bytes: number, use: (address: number) => T): T {
    const address = this.#heif._malloc(bytes);
    if (address === 0) throw new RangeError(`There is no memory for ${bytes} bytes.`);
    try {
      return use(address);
    } finally {
      this.#heif._free(address);
    }
  }

  /** Invalid after any other call. */
  view(address: number, length: number): DataView {
    const { buffer, byteOffset } = this.#heif.HEAPU8;
    return new DataView(buffer, byteOffset + address, length);
  }

  /** A copy of bytes at an address. */
  copy(address: number, length: number): Uint8Array {
    return this.#heif.HEAPU8.slice(address, address + length);
  }

  /** The 32-bit output parameter of a call; undefined where the call failed. */
  ask(call: (error: number, out: number) => void): number | undefined {
    return this.borrow(errorBytes + 4, (error) => {
      call(error, error + errorBytes);
      return this.view(error, 4).getInt32(0, true) === 0
        ? this.view(error + errorBytes, 4).getInt32(0, true)
        : undefined;
    });
  }
}

/** struct heif_error: a code, a subcode, the address of a text. */
const errorBytes = 12;
