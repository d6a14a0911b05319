import { realpath } from "node:fs/promises";
import { sep } from "node:path";
import { environment } from "../config/environment.ts";
import { findConfig } from "../config/lookup.ts";
import { Config } from "../config/store.ts";
import { silent } from "../core/log.ts";
import type { Source } from "../core/source.ts";
import { filesystem } from "../sources/filesystem.ts";
import { sourceKeys } from "../sources/index.ts";
import { type Terminal, writeWarning } from "./command.ts";

/** A collection to examine. */
export interface DoctorCollection {
  readonly source: Source;
  /** Shown to the user. */
  readonly name: string;
  /** Names the journal: other images or other settings of the source are another collection. */
  readonly identity: string;
  close(): Promise<void>;
}

/** Opens a folder, or the configured source. */
export const openCollection = async (
  {
    folder,
    config: named,
  }: { readonly folder?: string | undefined; readonly config?: string | undefined },
  config: Config,
  terminal: Terminal,
): Promise<DoctorCollection> =>
  folder === undefined ? openConfigured(named, config, terminal) : openFolder(folder, config);

const openFolder = async (folder: string, config: Config): Promise<DoctorCollection> => {
  const path = await realpath(folder);
  const prefix = path.endsWith(sep) ? path : path + sep;
  const settings = new Config({
    ...config.current,
    "FilesystemSource.lookup_strategy": "BasicLookupStrategy",
    "FilesystemSource.BasicLookupStrategy.path_prefix": prefix,
    "FilesystemSource.BasicLookupStrategy.path_suffix": "",
  });
  const source = filesystem.create(settings.view(filesystem.keys));
  return {
    source,
    name: path,
    identity: `folder ${path}`,
    close: async () => source.close?.(),
  };
};

const openConfigured = async (
  named: string | undefined,
  config: Config,
  terminal: Terminal,
): Promise<DoctorCollection> => {
  const warn = (message: string): void => writeWarning(terminal, message);
  // Loaded only for sources.
  const { openSource } = await import("../app/source.ts");
  const env = environment();
  const place = { env, configuration: findConfig({ named, env }) };
  const opened = await openSource(config, { ...silent, warn, error: warn }, place);
  const kind = config.view(sourceKeys)()["source.static"];
  return {
    source: opened.source,
    name: kind,
    identity: identityOf(kind, config),
    close: () => opened.close(),
  };
};

/** The settings that determine where images are stored; none of them is a secret. */
const identityOf = (kind: string, config: Config): string => {
  const places = /endpoint|bucket\.name|container_name|account_name|path_prefix|path_suffix/;
  const values = Object.entries(config.current).filter(
    ([key, value]) => key.startsWith(`${kind}.`) && places.test(key) && value !== "",
  );
  return `${kind} ${JSON.stringify(Object.fromEntries(values))}`;
};
