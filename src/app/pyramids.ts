import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { environment } from "../config/environment.ts";
import type { Config } from "../config/store.ts";
import { systemCallKeys } from "../config/system-call-keys.ts";
import type { Logger } from "../core/log.ts";
import { loadSystemCalls } from "../core/system-calls.ts";
import { PyramidFolder } from "../pyramids/folder.ts";
import { Workshop } from "../pyramids/job-folder.ts";
import { pyramidKeys } from "../pyramids/keys.ts";
import { createPyramids, type PyramidsDeps, type ServerPyramids } from "../pyramids/pyramids.ts";
import type { PyramidStore } from "../pyramids/store.ts";
import { openObjectStore } from "../pyramids/stores.ts";
import { filesystem } from "../sources/filesystem.ts";
import { OpenFiles } from "../sources/open-files.ts";
import type { Remote } from "../sources/remote/remote.ts";

/** Creates the pyramids, given what reads them and estimates costs. */
export type CreatePyramids = (
  parts: Pick<PyramidsDeps, "cost" | "overviews" | "decoder" | "image">,
) => ServerPyramids;

/**
 * The pyramids as configured; undefined if they are switched off. Throws `malformed` if a setting
 * of their store is missing.
 */
export const pyramidsAsConfigured = async (
  config: Config,
  {
    log,
    worker,
    remote,
  }: { readonly log: Logger; readonly worker: number; readonly remote: Remote },
): Promise<CreatePyramids | undefined> => {
  const settings = config.view(pyramidKeys)();
  if (!settings["pyramids.enabled"]) return undefined;
  const root = settings["pyramids.folder"] || usualFolder();
  const workshop = new Workshop(root);
  const store = (await openObjectStore(config, remote)) ?? folderStore(config, root);
  return (parts) => createPyramids({ config, store, workshop, worker, log, ...parts });
};

const folderStore = (config: Config, root: string): PyramidStore => {
  const files = config.view({ ...filesystem.keys, ...systemCallKeys });
  const calls = files()["processor.system_calls"] ? loadSystemCalls() : undefined;
  const open = new OpenFiles(
    () => ({
      max: files()["FilesystemSource.open_files.max"],
      idleMs: files()["FilesystemSource.open_files.idle_seconds"] * 1_000,
      sync: files()["FilesystemSource.read_at_once"],
    }),
    calls,
  );
  return new PyramidFolder(root, open);
};

const usualFolder = (): string => {
  const { XDG_CACHE_HOME: caches, HOME: home = homedir() } = environment();
  if (caches) return join(caches, "vitrine", "pyramids");
  return home ? join(home, ".cache", "vitrine", "pyramids") : join(tmpdir(), "vitrine-pyramids");
};
