import { Config } from "../config/store.ts";
import type { Logger } from "../core/log.ts";
import { remoteKeys } from "./remote/keys.ts";
import { createRemote, type Remote } from "./remote/remote.ts";

/** Resources of a remote source that shares none with others: all defaults. */
export const ownRemote = (log: Logger): Remote => createRemote(new Config().view(remoteKeys), log);
