import type { RequestContext } from "../../core/context.ts";
import type { DelegateSession } from "../../core/delegate.ts";
import { ServerError } from "../../core/errors.ts";
import { embeddedDescription } from "../../presentation/embedded.ts";
import type { ImageEntry, SideFile } from "../../presentation/side-file.ts";
import type { Description } from "../../presentation/views.ts";
import type { KnownImage } from "../../service/known.ts";
import type { Exchange } from "../request/exchange.ts";
import type { PresentationDeps } from "./deps.ts";

/**
 * The context of reading an image; unlike the exchange's own, it is not recorded in the access log.
 */
export const contextOf = (
  { request, deadline }: Exchange,
  identifier: string,
  session?: DelegateSession,
): RequestContext => ({
  requestId: request.id,
  identifier,
  signal: deadline.signal,
  ...(session ? { delegate: session } : {}),
});

/** The path of the folder of an entry, and the entry's name. */
export const placeOf = (path: string): { readonly folder: string; readonly name: string } => {
  const at = path.lastIndexOf("/");
  return { folder: path.slice(0, Math.max(0, at)), name: path.slice(at + 1) };
};

/** The side file of a folder; `names` are the side files that it is known to have. */
export const sideFileOf = async (
  exchange: Exchange,
  { settings, sideFiles, folders }: Pick<PresentationDeps, "settings" | "sideFiles" | "folders">,
  folder: string,
  names?: ReadonlySet<string>,
): Promise<SideFile> => {
  // If folders cannot be listed, looking for files that rarely exist would cost requests.
  if (!settings()["endpoint.presentation.side_files"] || !folders.isListable) return {};
  const { requestId, signal } = contextOf(exchange, folder);
  return exchange.deadline.race(sideFiles.of(folder, { requestId, signal }, names));
};

/**
 * The metadata embedded in an image; empty if it may not be shown, or cannot be read although the
 * image can.
 */
export const embeddedIn = async (
  context: RequestContext,
  known: KnownImage,
  isProtected: boolean,
  { settings, embedded }: Pick<PresentationDeps, "settings" | "embedded">,
): Promise<Description> => {
  if (isProtected || !settings()["endpoint.presentation.metadata"]) return {};
  const { identifier, signal } = context;
  try {
    return embeddedDescription(await embedded.of(identifier, known, signal));
  } catch (error) {
    if (error instanceof ServerError && error.failure === "unreadable") return {};
    throw error;
  }
};

/** The part of a folder's description that applies to its images as well. */
const inherited = ["rights", "requiredStatement", "provider", "homepage"] as const;

/**
 * The entry of an image in its folder's side file, with the properties that apply to all images.
 */
export const entryFor = (file: SideFile, name: string): ImageEntry => ({
  ...Object.fromEntries(
    [...inherited, "viewingDirection" as const].flatMap((key) =>
      file[key] === undefined ? [] : [[key, file[key]]],
    ),
  ),
  ...file.images?.get(name),
});

/**
 * The description of an image in a folder's manifest, without what the manifest already contains.
 */
export const amongOthers = (embedded: Description, file: SideFile): Description =>
  Object.fromEntries(
    Object.entries(embedded).filter(([key]) => !inherited.some((one) => one === key && file[one])),
  );
