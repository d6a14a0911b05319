import type { Config } from "../config/store.ts";
import type { Source } from "../core/source.ts";
import { availability } from "../formats/availability.ts";
import { formatOfExtension } from "../formats/registry.ts";
import { createGallery, type Gallery } from "../gallery/gallery.ts";
import { landingKeys } from "../http/landing/keys.ts";
import { sourceKeys } from "../sources/index.ts";

/**
 * The folders and images of the configured source: files whose extensions belong to formats that
 * can be read on this machine.
 */
export const galleryOf = async (config: Config, source: Source): Promise<Gallery> => {
  const settings = config.view(landingKeys);
  const sources = config.view(sourceKeys);
  const here = await availability(config);
  const readable = new Set(here.filter(({ read }) => read.available).map(({ format }) => format));
  const isImage = (name: string): boolean => {
    const format = formatOfExtension(name.slice(name.lastIndexOf(".") + 1));
    return format !== undefined && readable.has(format);
  };
  return createGallery({
    source,
    isImage: () => {
      // Identifiers, and therefore names in lists, do not contain it.
      const suffix =
        config.current[`${sources()["source.static"]}.BasicLookupStrategy.path_suffix`];
      return typeof suffix === "string" && suffix !== ""
        ? (name) => isImage(name + suffix)
        : isImage;
    },
    maxNames: () => settings()["endpoint.landing.max_searched"],
  });
};
