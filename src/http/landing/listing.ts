import { fail } from "../../core/errors.ts";
import { quoted } from "../../core/identifier.ts";
import type { GalleryEntry, GalleryFolder } from "../../gallery/entries.ts";
import type { Gallery } from "../../gallery/gallery.ts";
import { firstSeen } from "./covers.ts";
import type { Cursors } from "./cursors.ts";
import type { PagesExchange } from "./pages.ts";
import { maxCharacters, numberParameter, textParameter } from "./parameters.ts";
import { mayHide, type SeeingDeps, type SeenImage, seenOf } from "./visible.ts";

/** The dependencies of lists and searches of the page. */
export interface ListingDeps extends SeeingDeps {
  readonly gallery: Gallery;
  readonly cursors: Cursors;
}

/** A page of folders and images. */
export interface ListedPage {
  readonly entries: readonly (GalleryFolder | SeenImage)[];
  /** For `after`; absent at the end. */
  readonly next?: string;
}

/** Default and maximum number of entries on a page. */
export const perPage = { min: 1, max: 200, absent: 60 } as const;

/** Milliseconds after which a page is sent, however few entries it has. */
export const enoughMs = 1_500;

/** Number of entries that are scanned together if access is decided for each. */
export const perDecision = 16;

/**
 * Handles `folder`, `after` and `max`: about `max` folders and images of a folder that the client
 * may see. Throws `malformed`; `missing` if the folder does not exist or has nothing that the
 * client may see; and `unimplemented` if the source cannot be listed.
 */
export const listedPage = async (
  exchange: PagesExchange,
  deps: ListingDeps,
): Promise<ListedPage> => {
  const { query } = exchange.target;
  const folder = textParameter(query, "folder", maxCharacters.folder);
  const max = numberParameter(query, "max", perPage);
  const given = textParameter(query, "after", maxCharacters.cursor);
  let after = deps.cursors.read("listing", folder, given)?.toString();
  const hiding = mayHide(deps);
  if (hiding && folder !== "" && after === undefined) await refuseUnseen(folder, exchange, deps);
  const entries: (GalleryFolder | SeenImage)[] = [];
  const end = performance.now() + enoughMs;
  do {
    const { signal } = exchange.deadline;
    const wanted = { after, max: hiding ? Math.min(max, perDecision) : max, signal };
    const part = await deps.gallery.list(folder, wanted);
    if (part === undefined) return unlisted();
    entries.push(...(await seenEntries(part.entries, exchange, deps)));
    after = part.next;
  } while (after !== undefined && entries.length < max / 2 && performance.now() < end);
  if (after === undefined) return { entries };
  return { entries, next: deps.cursors.write("listing", { of: folder, at: after }) };
};

/** The images that the client may see, and the folders with such images. */
export const seenEntries = async (
  entries: readonly GalleryEntry[],
  exchange: PagesExchange,
  deps: ListingDeps,
): Promise<readonly (GalleryFolder | SeenImage)[]> => {
  const images = entries.filter((entry) => entry.kind === "image");
  const folders = entries.filter((entry) => entry.kind === "folder");
  const seenImages = await seenOf(images, exchange, deps);
  if (!mayHide(deps)) return inOrder(entries, folders, seenImages);
  const seenFolders: GalleryFolder[] = [];
  for (const folder of folders)
    if ((await firstSeen(folder.path, 1, exchange, deps)).length > 0) seenFolders.push(folder);
  return inOrder(entries, seenFolders, seenImages);
};

/** Folders and images in the order of the entries. */
const inOrder = (
  entries: readonly GalleryEntry[],
  folders: readonly GalleryFolder[],
  images: readonly SeenImage[],
): readonly (GalleryFolder | SeenImage)[] => {
  const left = { folder: [...folders], image: [...images] };
  return entries.flatMap(({ kind, name }): readonly (GalleryFolder | SeenImage)[] => {
    if (left[kind][0]?.name !== name) return [];
    const next = left[kind].shift();
    return next ? [next] : [];
  });
};

/** The response for a folder in which everything is hidden is as for a missing one. */
const refuseUnseen = async (
  folder: string,
  exchange: PagesExchange,
  deps: ListingDeps,
): Promise<void> => {
  const seen = await firstSeen(folder, 1, exchange, deps);
  if (seen.length === 0) fail("missing", `There is no folder ${quoted(folder)}.`);
};

/** Refuses a list of images of a source that cannot be listed. */
export const unlisted = (): never =>
  fail(
    "unimplemented",
    "The images of this source cannot be listed. A list needs FilesystemSource with a folder as prefix, S3Source or AzureStorageSource, with BasicLookupStrategy and without source.rules.",
  );
