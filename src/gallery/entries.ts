import type { ListedFolder, ListedObject } from "../core/source.ts";

/** A folder that a gallery shows. */
export type GalleryFolder = ListedFolder;

/** An image that a gallery shows. */
export interface GalleryImage {
  readonly kind: "image";
  /** The last part of its identifier. */
  readonly name: string;
  /** Without page and constraint, not percent-encoded. */
  readonly identifier: string;
}

export type GalleryEntry = GalleryFolder | GalleryImage;

/** Whether an object of this name is an image that can be read here. */
export type IsImage = (name: string) => boolean;

/** The folders and images among listed entries. */
export const galleryEntries = (
  listed: readonly (ListedFolder | ListedObject)[],
  isImage: IsImage,
): readonly GalleryEntry[] =>
  listed.flatMap((entry): readonly GalleryEntry[] => {
    if (entry.kind === "folder") return [entry];
    const { name, identifier } = entry;
    return isImage(name) ? [{ kind: "image", name, identifier }] : [];
  });
