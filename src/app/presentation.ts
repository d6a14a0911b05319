import type { Config } from "../config/store.ts";
import type { Logger } from "../core/log.ts";
import type { Source } from "../core/source.ts";
import { availability } from "../formats/availability.ts";
import type { PresentationSources } from "../http/request/deps.ts";
import type { Embedded } from "../service/embedded.ts";
import { createFolders } from "../service/folders.ts";
import { createSideFiles } from "../service/side-files.ts";

/** The dependencies of manifests and collections. */
export const presentationSources = (
  config: Config,
  {
    source,
    log,
    embedded,
  }: { readonly source: Source; readonly log: Logger; readonly embedded: Embedded },
): PresentationSources => ({
  folders: createFolders(source, async () =>
    (await availability(config)).filter(({ read }) => read.available).map(({ format }) => format),
  ),
  sideFiles: createSideFiles(source, log),
  embedded,
});
