import type { Settings } from "../config/keys.ts";
import type { cachingKeys } from "./caching-keys.ts";
import type { infoKeys } from "./info-keys.ts";
import type { InfoPolicy } from "./infos.ts";

type InfoSettings = Settings<typeof cachingKeys> & Settings<typeof infoKeys>;

/**
 * Reads the current settings of how long infos are trusted and whether they outlive their image.
 */
export const infoPolicy = (settings: () => InfoSettings): InfoPolicy => ({
  remember: () => settings()["cache.server.info.enabled"],
  trustMs: () => {
    const { "cache.server.resolve_first": always, "cache.server.info.trust_seconds": seconds } =
      settings();
    return always ? 0 : seconds * 1_000;
  },
  outlives: () =>
    settings()["cache.server.serve_missing"] && !settings()["cache.server.resolve_first"],
});
