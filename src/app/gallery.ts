import type { Config } from "../config/store.ts";
import { availability } from "../formats/availability.ts";
import type { GalleryEntry } from "../http/request/deps.ts";
import { listPictures } from "../samples/gallery.ts";
import { filesystem } from "../sources/filesystem.ts";

/** Maximum number of images that the landing page lists, and milliseconds for finding them. */
const listed = 500;
const listingMs = 5_000;

/**
 * The images that the landing page may list: those of a folder whose file names are identifiers.
 */
export const galleryOf = (config: Config): (() => Promise<readonly GalleryEntry[]>) => {
  const settings = config.view(filesystem.keys);
  return async () => {
    const prefix = settings()["FilesystemSource.BasicLookupStrategy.path_prefix"];
    const suffix = settings()["FilesystemSource.BasicLookupStrategy.path_suffix"];
    // Files can be listed only where their names are identifiers.
    if (!/[/\\]$/.test(prefix) || suffix !== "") return [];
    const here = await availability(config);
    const readable = here.filter(({ read }) => read.available).map(({ format }) => format);
    return listPictures(prefix, {
      limit: listed,
      formats: readable,
      signal: AbortSignal.timeout(listingMs),
    });
  };
};
