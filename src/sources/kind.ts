import type { Keys, Settings } from "../config/keys.ts";
import type { Logger } from "../core/log.ts";
import type { Source } from "../core/source.ts";
import type { Remote } from "./remote/remote.ts";

/**
 * A kind of source: the keys it owns, and how to make one from a view of them, which may log what
 * it notices. Sources elsewhere share `remote`; they make one of their own where there is none.
 */
export interface SourceKind<K extends Keys> {
  readonly keys: K;
  /**
   * Why there can be no images by these settings, in sentences for whoever runs the server; absent
   * where only asking tells.
   */
  unusable?(settings: Settings<K>): Promise<string | undefined>;
  create(settings: () => Settings<K>, log?: Logger, remote?: Remote): Source;
}

export const defineSource = <const K extends Keys>(kind: SourceKind<K>): SourceKind<K> => kind;
