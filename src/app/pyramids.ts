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
import { filesystem } from "../sources/filesystem.ts";
import { OpenFiles } from "../sources/open-files.ts";

/** Creates the pyramids, given what reads them and estimates costs. */
export type CreatePyramids = (
  parts: Pick<PyramidsDeps, "cost" | "decoder" | "image">,
) => ServerPyramids;

/** The pyramids as configured; undefined where they are off. */
export const pyramidsAsConfigured = (
  config: Config,
  { log, worker }: { readonly log: Logger; readonly worker: number },
): CreatePyramids | undefined => {
  const settings = config.view(pyramidKeys)();
  if (!settings["pyramids.enabled"]) return undefined;
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
  const root = settings["pyramids.folder"] || usualFolder();
  const store = new PyramidFolder(root, open);
  const workshop = new Workshop(root);
  return (parts) => createPyramids({ config, store, workshop, worker, log, ...parts });
};

const usualFolder = (): string => {
  const { XDG_CACHE_HOME: caches, HOME: home = homedir() } = environment();
  if (caches) return join(caches, "vitrine", "pyramids");
  return home ? join(home, ".cache", "vitrine", "pyramids") : join(tmpdir(), "vitrine-pyramids");
};
