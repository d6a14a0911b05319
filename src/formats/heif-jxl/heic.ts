import { ServerError } from "../../core/errors.ts";
import { boundGrowth } from "../../core/wasm-bound.ts";
import { missingPage } from "../shared/index.ts";
import type { HeifJxlImage, HeifJxlLimits } from "./contract.ts";
import { checkWhole } from "./heif-boxes.ts";
import { type Engine, newEngine, partOfLibheif, unreadable } from "./heif-engine.ts";
import { type HeifItem, itemOf } from "./heif-item.ts";
import { decodeTile } from "./heif-pixels.ts";

/** Maximum number of images of a file that are pages. */
const maxPictures = 1_000;

/** Above this many bytes of memory libheif is restarted before the next file is opened. */
const maxWorn = 268_435_456;

/**
 * Opens HEIF files with HEVC images (ISO/IEC 23008-12): each image that is not part of another is a
 * page.
 */
export const heicOpener = (limits: HeifJxlLimits): ((bytes: Uint8Array) => HeifJxlImage) => {
  const max = Math.floor(limits.memory * partOfLibheif);
  // The package offers no other way to set it.
  boundGrowth(() => max);
  let engine = newEngine();
  let open = 0;
  return (bytes) => {
    if (open === 0 && engine.memory.bytes > Math.min(maxWorn, max / 2)) engine = newEngine();
    const picture = openHeif(engine, bytes, limits);
    open++;
    return {
      ...picture,
      close() {
        picture.close();
        open--;
      },
    };
  };
};

/** Offsets in struct heif_security_limits. */
const limitFields = { imagePixels: 8, blockBytes: 40, totalBytes: 64, end: 72 } as const;

const openHeif = (engine: Engine, bytes: Uint8Array, limits: HeifJxlLimits): HeifJxlImage => {
  checkWhole(bytes);
  const { heif, memory } = engine;
  const context = heif._heif_context_alloc();
  const items: HeifItem[] = [];
  const close = (): void => {
    for (const { handle } of items) heif._heif_image_handle_release(handle);
    heif._heif_context_free(context);
  };
  try {
    setLimits(engine, context, limits);
    memory.borrow(bytes.length, (address) => {
      heif.HEAPU8.set(bytes, address);
      const read = memory.ask((error) =>
        heif._heif_context_read_from_memory(error, context, address, bytes.length, 0),
      );
      if (read === undefined) unreadable();
    });
    for (const id of idsIn(engine, context)) {
      const item = attempt(() => itemOf(engine, { context, id, limits }));
      if (!(item instanceof ServerError)) items.push(item);
      // Further images that cannot be read, such as layers, are not pages.
      else if (items.length === 0) throw item;
    }
  } catch (error) {
    close();
    throw error;
  }
  const itemAt = (page: number): HeifItem => items[page] ?? missingPage(page, items.length);
  return {
    pages: items.map(({ page }) => page),
    offset: (page) => itemAt(page).shown.crop,
    tile: (page, column, row) => decodeTile(engine, itemAt(page), { column, row, limits }),
    close,
  };
};

/** The result, or the error that prevented it. */
const attempt = <T>(make: () => T): T | ServerError => {
  try {
    return make();
  } catch (error) {
    if (error instanceof ServerError) return error;
    throw error;
  }
};

const setLimits = (
  { heif, memory }: Engine,
  context: number,
  { decoded, pixels, memory: max }: HeifJxlLimits,
): void => {
  const view = memory.view(heif._heif_context_get_security_limits(context), limitFields.end);
  view.setBigUint64(limitFields.imagePixels, BigInt(pixels), true);
  view.setBigUint64(limitFields.blockBytes, BigInt(decoded), true);
  view.setBigUint64(limitFields.totalBytes, BigInt(Math.floor(max * partOfLibheif)), true);
};

/** The primary image first. */
const idsIn = ({ heif, memory }: Engine, context: number): readonly number[] => {
  const count = Math.min(maxPictures, heif._heif_context_get_number_of_top_level_images(context));
  if (count === 0) unreadable();
  const ids = memory.borrow(count * 4, (address) => {
    const found = heif._heif_context_get_list_of_top_level_image_IDs(context, address, count);
    const view = memory.view(address, count * 4);
    return Array.from({ length: Math.min(found, count) }, (_, at) => view.getUint32(at * 4, true));
  });
  const primary = memory.ask((error, out) =>
    heif._heif_context_get_primary_image_ID(error, context, out),
  );
  return primary === undefined ? ids : [primary >>> 0, ...ids.filter((id) => id !== primary >>> 0)];
};
