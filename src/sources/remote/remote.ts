import { type Logger, silent } from "../../core/log.ts";
import { Blocks } from "./blocks.ts";
import type { RemoteSettings } from "./keys.ts";
import { Origins } from "./origins.ts";

/** What all remote sources of a process share. */
export interface Remote {
  readonly blocks: Blocks;
  readonly origins: Origins;
  readonly settings: () => RemoteSettings;
}

/** What the remote sources of a process share: the block cache, and the limits of each server. */
export const createRemote = (settings: () => RemoteSettings, log: Logger = silent): Remote => ({
  blocks: new Blocks(settings()["source.cache.blocks.target_size"]),
  origins: new Origins(settings, log),
  settings,
});
