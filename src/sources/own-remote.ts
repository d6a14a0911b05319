import { Config } from "../config/store.ts";
import type { Logger } from "../core/log.ts";
import { remoteKeys } from "./remote/keys.ts";
import { createRemote, type Remote } from "./remote/remote.ts";

/** What a remote source uses where it shares nothing with others: everything by its default. */
export const ownRemote = (log: Logger): Remote => createRemote(new Config().view(remoteKeys), log);
