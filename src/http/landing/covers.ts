import { ServerError } from "../../core/errors.ts";
import type { Gallery, GalleryPart } from "../../gallery/gallery.ts";
import type { PagesExchange } from "./pages.ts";
import { type SeeingDeps, type SeenImage, seenOf } from "./visible.ts";

/** Maximum number of entries that are scanned in a folder and its subfolders together. */
const maxLooked = 300;

/** Entries requested at a time. */
const perPart = 40;

/**
 * The first images in a folder or its subfolders that the client may see, among the first 300
 * entries. Folders that cannot be listed count as empty.
 */
export const firstSeen = async (
  folder: string,
  max: number,
  exchange: PagesExchange,
  deps: SeeingDeps & { readonly gallery: Gallery },
): Promise<readonly SeenImage[]> => {
  const found: SeenImage[] = [];
  const places: { readonly folder: string; readonly after?: string | undefined }[] = [{ folder }];
  let left = maxLooked;
  for (let place = places.shift(); place && left > 0; place = places.shift()) {
    const { signal } = exchange.deadline;
    const options = { after: place.after, max: Math.min(left, perPart), signal };
    const part = await partOf(deps.gallery, place.folder, options);
    // Listing an empty folder also costs a request.
    left -= Math.max(part.entries.length, emptyCosts);
    const images = part.entries.filter((entry) => entry.kind === "image");
    for (let at = 0; at < images.length && found.length < max; at += max)
      found.push(...(await seenOf(images.slice(at, at + max), exchange, deps)));
    if (found.length >= max) break;
    if (part.next !== undefined) places.push({ folder: place.folder, after: part.next });
    for (const entry of part.entries)
      if (entry.kind === "folder") places.push({ folder: entry.path });
  }
  return found.slice(0, max);
};

const emptyCosts = 10;

const partOf = async (
  gallery: Gallery,
  folder: string,
  options: Parameters<Gallery["list"]>[1],
): Promise<GalleryPart> => {
  try {
    return (await gallery.list(folder, options)) ?? { entries: [] };
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof ServerError) return { entries: [] };
    throw error;
  }
};
