import { opendir } from "node:fs/promises";
import { join } from "node:path";
import type { FormatName } from "../core/formats.ts";
import { formatOfExtension } from "../formats/registry.ts";

/** An image that a page can offer. */
export interface GalleryImage {
  /** Not percent-encoded; folders are separated by slashes. */
  readonly identifier: string;
  /** The file's name without its folders. */
  readonly title: string;
}

export interface GalleryOptions {
  /** The most images to list. */
  readonly limit: number;
  /** The formats that can be read; files are told by their extensions. */
  readonly formats: readonly FormatName[];
  readonly signal: AbortSignal;
}

/**
 * The images in a folder and the folders in it, at most `limit`, sorted; hidden files and
 * symbolic links are left out. Reads names only, and no more than `entriesRead` of them.
 */
export const listPictures = async (
  folder: string,
  { limit, formats, signal }: GalleryOptions,
): Promise<readonly GalleryImage[]> => {
  const found: GalleryImage[] = [];
  for await (const identifier of walk(folder, signal)) {
    if (found.length === limit) break;
    const title = identifier.slice(identifier.lastIndexOf("/") + 1);
    if (readable(title, formats)) found.push({ identifier, title });
  }
  return found.sort(byName);
};

/** What lies in folders first, then by name as people count: page 2 before page 10. */
const byName = ({ identifier: a }: GalleryImage, { identifier: b }: GalleryImage): number =>
  Number(b.includes("/")) - Number(a.includes("/")) || collator.compare(a, b);

const collator = new Intl.Collator("en", { numeric: true });

/** The files of a folder, then those of the folders in it, as paths below it. */
async function* walk(folder: string, signal: AbortSignal): AsyncGenerator<string> {
  let left = entriesRead;
  const folders = [""];
  for (let inside = folders.shift(); inside !== undefined; inside = folders.shift())
    for await (const entry of await opendir(join(folder, inside))) {
      signal.throwIfAborted();
      if (left-- === 0) return;
      if (entry.name.startsWith(".")) continue;
      if (entry.isDirectory()) folders.push(`${inside}${entry.name}/`);
      else if (entry.isFile()) yield `${inside}${entry.name}`;
    }
}

/** Names looked at before a walk ends: a bound for a folder with millions of other files. */
const entriesRead = 20_000;

const readable = (name: string, formats: readonly FormatName[]): boolean => {
  const format = formatOfExtension(name.slice(name.lastIndexOf(".") + 1));
  return format !== undefined && formats.includes(format);
};
