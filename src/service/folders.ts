import { fail } from "../core/errors.ts";
import type { FormatName } from "../core/formats.ts";
import type { Listing, Source } from "../core/source.ts";
import { formatOfExtension } from "../formats/registry.ts";
import { sideFileNames } from "../presentation/side-file.ts";

/** An image or a folder in a folder. */
export interface FolderEntry {
  /** The last part of its path. */
  readonly name: string;
  /** The identifier of an image, the path of a folder. */
  readonly path: string;
}

/** The contents of a folder, in the order of the source. */
export interface FolderContents {
  readonly folders: readonly FolderEntry[];
  /** Objects with the extension of a readable format. */
  readonly images: readonly FolderEntry[];
  /** The side files among the other objects. */
  readonly sideFiles: ReadonlySet<string>;
}

/** Lists the folders of a source. */
export interface Folders {
  /** Whether the source supports listing; its configuration may still prevent it. */
  readonly isListable: boolean;
  /**
   * The contents of a folder. Throws `missing` if it does not exist, `unimplemented` if the source
   * cannot be listed, and `denied` if it has more than `max` entries.
   */
  read(folder: string, options: { max: number; signal: AbortSignal }): Promise<FolderContents>;
}

/** Entries requested from the source at a time. */
const perPart = 1_000;

/** Lists folders; `readable` are the formats that can be read. */
export const createFolders = (
  source: Pick<Source, "list">,
  readable: () => Promise<readonly FormatName[]>,
): Folders => ({
  isListable: source.list !== undefined,
  async read(folder, limits) {
    const formats = new Set(await readable());
    const entries = await allEntries(source, folder, limits);
    const objects = entries.filter(({ kind }) => kind === "object");
    return {
      folders: entries.flatMap((one) =>
        one.kind === "folder" ? { name: one.name, path: one.path } : [],
      ),
      images: entries.flatMap((one) =>
        one.kind === "object" && isImage(one.name, formats)
          ? { name: one.name, path: one.identifier }
          : [],
      ),
      sideFiles: new Set(objects.map(({ name }) => name).filter(isSideFile)),
    };
  },
});

/** Everything in a folder, at most `max` entries. */
const allEntries = async (
  source: Pick<Source, "list">,
  folder: string,
  { max, signal }: { readonly max: number; readonly signal: AbortSignal },
): Promise<Listing["entries"]> => {
  const entries: Listing["entries"][number][] = [];
  let after: string | undefined;
  do {
    signal.throwIfAborted();
    const part = await source.list?.(folder, { after, max: perPart, signal });
    if (part === undefined) return notListable();
    if (entries.length + part.entries.length > max)
      fail(
        "denied",
        `The folder '${folder}' has more than ${max} entries, the limit of endpoint.presentation.max_items.`,
      );
    entries.push(...part.entries);
    after = part.next;
  } while (after !== undefined);
  return entries;
};

const isImage = (name: string, formats: ReadonlySet<FormatName>): boolean => {
  const format = formatOfExtension(name.slice(name.lastIndexOf(".") + 1));
  return format !== undefined && formats.has(format);
};

const isSideFile = (name: string): boolean => sideFileNames.some((one) => one === name);

const notListable = (): never =>
  fail(
    "unimplemented",
    "The images of this source cannot be listed, so there are no manifests and collections of folders.",
  );
