import type { RequestContext } from "../../core/context.ts";
import type { DelegateSession } from "../../core/delegate.ts";
import { ServerError } from "../../core/errors.ts";
import { embeddedDescription } from "../../presentation/embedded.ts";
import type { ImageEntry, SideFile } from "../../presentation/side-file.ts";
import type { Description } from "../../presentation/views.ts";
import type { KnownImage } from "../../service/known.ts";
import type { Exchange } from "../request/exchange.ts";
import type { PresentationDeps } from "./deps.ts";

/** The context in which an image is read; unlike the exchange's own, it names it in no log entry. */
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

/** The path of the folder that something is in, and its name there. */
export const placeOf = (path: string): { readonly folder: string; readonly name: string } => {
  const at = path.lastIndexOf("/");
  return { folder: path.slice(0, Math.max(0, at)), name: path.slice(at + 1) };
};

/** The side file of a folder; `names` are those that it is known to have. */
export const sideFileOf = async (
  exchange: Exchange,
  { settings, sideFiles, folders }: Pick<PresentationDeps, "settings" | "sideFiles" | "folders">,
  folder: string,
  names?: ReadonlySet<string>,
): Promise<SideFile> => {
  // Where folders cannot be listed, asking for files that hardly exist would cost requests.
  if (!settings()["endpoint.presentation.side_files"] || !folders.isListable) return {};
  const { requestId, signal } = contextOf(exchange, folder);
  return exchange.deadline.race(sideFiles.of(folder, { requestId, signal }, names));
};

/**
 * What is embedded in an image; empty where that is not told, or cannot be read although the image
 * can.
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

/** What a folder's side file says of everything in it. */
const inherited = ["rights", "requiredStatement", "provider", "homepage"] as const;

/** What a folder's side file says of one of its images, with what holds for all of them. */
export const entryFor = (file: SideFile, name: string): ImageEntry => ({
  ...Object.fromEntries(
    [...inherited, "viewingDirection" as const].flatMap((key) =>
      file[key] === undefined ? [] : [[key, file[key]]],
    ),
  ),
  ...file.images?.get(name),
});

/** Of an image among others, what its folder's manifest does not say already. */
export const amongOthers = (embedded: Description, file: SideFile): Description =>
  Object.fromEntries(
    Object.entries(embedded).filter(([key]) => !inherited.some((one) => one === key && file[one])),
  );
