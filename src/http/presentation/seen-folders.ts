import { ServerError } from "../../core/errors.ts";
import type { FolderEntry } from "../../service/folders.ts";
import type { Exchange } from "../request/exchange.ts";
import type { Dependence, PresentationDeps } from "./deps.ts";
import { eitherOf, independent, isOpen, seenImages } from "./visibility.ts";

/** Number of images and subfolders that are checked to decide whether a client sees a folder. */
const maxImages = 200;
const maxFolders = 50;

interface Look {
  readonly isSeen: boolean;
  readonly dependence: Dependence;
}

/**
 * The folders of a list in which the client may see an image, among the first ones in the folder
 * and its subfolders.
 */
export const seenFolders = async (
  folders: readonly FolderEntry[],
  exchange: Exchange,
  deps: PresentationDeps,
): Promise<{ readonly folders: readonly FolderEntry[]; readonly dependence: Dependence }> => {
  if (isOpen(deps)) return { folders, dependence: independent };
  const seen: FolderEntry[] = [];
  let dependence = independent;
  for (const folder of folders) {
    const look = await lookInto(folder.path, exchange, deps);
    if (look.isSeen) seen.push(folder);
    dependence = eitherOf(dependence, look.dependence);
  }
  return { folders: seen, dependence };
};

const lookInto = async (
  folder: string,
  exchange: Exchange,
  deps: PresentationDeps,
): Promise<Look> => {
  const { signal } = exchange.deadline;
  const max = deps.settings()["endpoint.presentation.max_items"];
  let left = maxImages;
  let dependence = independent;
  const waiting = [folder];
  for (let at = 0; at < waiting.length && at < maxFolders && left > 0; at++) {
    const path = waiting[at] ?? "";
    const inside = await deps.folders.read(path, { max, signal }).catch(unreadable);
    const images = inside.images.slice(0, left);
    left -= images.length;
    const { seen, dependence: own } = await seenImages(images, exchange, deps);
    dependence = eitherOf(dependence, own);
    if (seen.length > 0) return { isSeen: true, dependence };
    waiting.push(...inside.folders.slice(0, maxFolders).map((one) => one.path));
  }
  return { isSeen: false, dependence };
};

/** Nothing is visible in a folder that is too large or may not be read. */
const unreadable = (
  error: unknown,
): { images: readonly FolderEntry[]; folders: readonly FolderEntry[] } => {
  if (error instanceof ServerError && ["denied", "missing"].includes(error.failure))
    return { images: [], folders: [] };
  throw error;
};
