import type { Keys, Settings } from "../config/keys.ts";
import type { Logger } from "../core/log.ts";
import type { Source } from "../core/source.ts";
import type { Remote } from "./remote/remote.ts";

/**
 * A kind of source: its keys, and its constructor from a view of them, with a log. Remote sources
 * share `remote`; they create one of their own where there is none.
 */
export interface SourceKind<K extends Keys> {
  readonly keys: K;
  /**
   * Why no image can be served with these settings, in sentences for operators; absent where only a
   * request can tell.
   */
  unusable?(settings: Settings<K>): Promise<string | undefined>;
  create(settings: () => Settings<K>, log?: Logger, remote?: Remote): Source;
}

export const defineSource = <const K extends Keys>(kind: SourceKind<K>): SourceKind<K> => kind;
