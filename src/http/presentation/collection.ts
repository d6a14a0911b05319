import { fail } from "../../core/errors.ts";
import { arranged, type SideFile } from "../../presentation/side-file.ts";
import { unspecified } from "../../presentation/texts.ts";
import type { ItemView } from "../../presentation/views.ts";
import type { FolderEntry } from "../../service/folders.ts";
import type { Exchange } from "../request/exchange.ts";
import type { Made, PresentationDeps } from "./deps.ts";
import { placeOf, sideFileOf } from "./described.ts";
import { describedFolder } from "./folder-description.ts";
import { seenFolders } from "./seen-folders.ts";
import { entrySegment } from "./segments.ts";
import { type Uris, urisFor } from "./uris.ts";
import { eitherOf, isOpen, type SeenImage, seenImages } from "./visibility.ts";

/**
 * The collection of a folder: its own manifest, the collections of the folders and the manifests of
 * the images directly in it that the client may see. Throws `missing` if there are none.
 */
export const folderCollection = async (
  exchange: Exchange,
  folder: string,
  deps: PresentationDeps,
): Promise<Made> => {
  const { deadline } = exchange;
  const settings = deps.settings();
  const max = settings["endpoint.presentation.max_items"];
  const { folders, images, sideFiles } = await deadline.race(
    deps.folders.read(folder, { max, signal: deadline.signal }),
  );
  const file = await sideFileOf(exchange, deps, folder, sideFiles);
  const shown = await seenImages(arranged(images, file), exchange, deps);
  const inside = await seenFolders(arranged(folders, file), exchange, deps);
  const { seen } = shown;
  const isHidden = seen.length + inside.folders.length === 0 && !isOpen(deps);
  // A hidden folder must look like a missing one.
  if (isHidden) return fail("missing", `There is no folder '${folder}'.`);
  const uris = urisFor(exchange, deps);
  const described = describedFolder(folder, file, settings);
  const { label } = described;
  const own: readonly ItemView[] =
    seen.length > 0 && folder !== ""
      ? [{ kind: "manifest", id: uris.folderManifest(folder), label }]
      : [];
  const parent = placeOf(folder).folder;
  return {
    json: deps.presentation.collection({
      id: uris.collection(folder),
      ...described,
      items: [
        ...own,
        ...inside.folders.map((one) => collectionItem(one, uris)),
        ...(await manifestItems(seen, file, { uris, exchange, deps })),
      ],
      ...(folder === ""
        ? {}
        : {
            partOf: collectionItem({ name: placeOf(parent).name || "Images", path: parent }, uris),
          }),
    }),
    dependence: eitherOf(shown.dependence, inside.dependence),
  };
};

const collectionItem = ({ name, path }: FolderEntry, uris: Uris): ItemView => ({
  kind: "collection",
  id: uris.collection(path),
  label: unspecified(name),
});

const manifestItems = async (
  images: readonly SeenImage[],
  { images: entries }: SideFile,
  {
    uris,
    exchange,
    deps,
  }: { readonly uris: Uris; readonly exchange: Exchange; readonly deps: PresentationDeps },
): Promise<readonly ItemView[]> => {
  const items: ItemView[] = [];
  for (const { name, path, session } of images) {
    const id = uris.manifest(await entrySegment(path, 1, session, { exchange, deps }));
    items.push({ kind: "manifest", id, label: entries?.get(name)?.label ?? unspecified(name) });
  }
  return items;
};
