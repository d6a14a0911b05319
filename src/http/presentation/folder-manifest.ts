import { fail, ServerError } from "../../core/errors.ts";
import { unconstrained } from "../../core/identifier.ts";
import {
  canvasesAmongOthers,
  imageBehavior,
  type PresentedImage,
  shownPages,
} from "../../presentation/canvases.ts";
import { arranged, type SideFile } from "../../presentation/side-file.ts";
import type { ManifestView } from "../../presentation/views.ts";
import type { Exchange } from "../request/exchange.ts";
import type { Made, PresentationDeps } from "./deps.ts";
import { amongOthers, contextOf, embeddedIn, sideFileOf } from "./described.ts";
import { describedFolder } from "./folder-description.ts";
import { refuseTooMany } from "./refusals.ts";
import { entrySegment } from "./segments.ts";
import { type Uris, urisFor } from "./uris.ts";
import { type SeenImage, seenImages } from "./visibility.ts";

/** Maximum number of images that one manifest reads at the same time. */
const concurrently = 16;

/**
 * The manifest of a folder: a canvas for each page of each image directly in it that the client may
 * see. Throws `missing` if there are none, and `denied` if there are too many.
 */
export const folderManifest = async (
  exchange: Exchange,
  folder: string,
  deps: PresentationDeps,
): Promise<Made> => {
  const { deadline } = exchange;
  const settings = deps.settings();
  const max = settings["endpoint.presentation.max_items"];
  const { images, sideFiles } = await deadline.race(
    deps.folders.read(folder, { max, signal: deadline.signal }),
  );
  const file = await sideFileOf(exchange, deps, folder, sideFiles);
  const { seen, dependence } = await seenImages(arranged(images, file), exchange, deps);
  const what = `The folder '${folder}'`;
  refuseTooMany(seen.length, what, settings);
  const uris = urisFor(exchange, deps);
  const presented: PresentedImage[] = [];
  let canvases = 0;
  for (let at = 0; at < seen.length; at += concurrently) {
    const some = seen.slice(at, at + concurrently);
    const read = some.map((image) => presentedImage(image, { file, uris, exchange, deps }));
    for (const one of await deadline.race(Promise.all(read))) {
      if (one === undefined) continue;
      presented.push(one);
      canvases += shownPages(one).length;
      refuseTooMany(canvases, what, settings);
    }
  }
  const [first, ...others] = presented.flatMap(canvasesAmongOthers);
  if (first === undefined) return fail("missing", `There is no image in the folder '${folder}'.`);
  return {
    json: deps.presentation.manifest({
      id: uris.folderManifest(folder),
      ...describedFolder(folder, file, settings),
      ...layoutOf(file, presented),
      canvases: [first, ...others],
    }),
    dependence,
  };
};

/** A folder with a single document has the document's layout. */
const layoutOf = (
  { behavior, viewingDirection }: SideFile,
  presented: readonly PresentedImage[],
): Pick<ManifestView, "behavior" | "viewingDirection"> => {
  const [only, another] = presented;
  const usual = only && !another ? imageBehavior(only) : "individuals";
  return { behavior: behavior ?? usual, ...(viewingDirection ? { viewingDirection } : {}) };
};

interface FolderParts {
  readonly file: SideFile;
  readonly uris: Uris;
  readonly exchange: Exchange;
  readonly deps: PresentationDeps;
}

/**
 * An image in a folder's manifest; undefined if it cannot be read, so that a corrupt file does not
 * prevent the manifest.
 */
const presentedImage = async (
  { name, path, permission, isProtected, session }: SeenImage,
  { file, uris, exchange, deps }: FolderParts,
): Promise<PresentedImage | undefined> => {
  const context = contextOf(exchange, path, session);
  try {
    const known = await deps.images.know(context, "use");
    const embedded = await embeddedIn(context, known, isProtected, deps);
    const image = {
      name,
      info: known.info,
      embedded: amongOthers(embedded, file),
      entry: file.images?.get(name),
      limits: deps.limits(),
      constraint: unconstrained,
      confinement: permission.confinement,
    };
    const segments = new Map<number, string>();
    for (const page of shownPages(image))
      segments.set(page, await entrySegment(path, page, session, { exchange, deps }));
    return { ...image, address: (page) => uris.page(segments.get(page) ?? "") };
  } catch (error) {
    if (!(error instanceof ServerError) || !skipped.has(error.failure)) throw error;
    deps.log.debug(`The image '${path}' is omitted from a manifest: ${error.message}`, {
      request: exchange.request.id,
    });
    return undefined;
  }
};

/** Failures of an image itself; failures of the server or its source end the request. */
const skipped: ReadonlySet<ServerError["failure"]> = new Set([
  "missing",
  "denied",
  "malformed",
  "unreadable",
  "unsupported",
  "unimplemented",
]);
