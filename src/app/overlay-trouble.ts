import type { CurrentPolicy } from "../access/policy.ts";
import { watermarksOf } from "../access/rules.ts";
import type { Logger } from "../core/log.ts";
import type { Overlays } from "../overlays/overlays.ts";

/** Logs which overlays and watermarks cannot be loaded: images that need them end with 500. */
export const logOverlayErrors = async (
  { overlays, policy }: { readonly overlays: Overlays; readonly policy: CurrentPolicy },
  log: Logger,
  signal: AbortSignal,
): Promise<void> => {
  const reason = await overlays.trouble(signal);
  if (reason !== undefined && !signal.aborted)
    log.error("Images cannot be served: their overlay is unavailable", { reason });
  for (const { number, watermark } of watermarksOf(policy()?.rules ?? [])) {
    const why = await overlays.watermarkTrouble(watermark, signal);
    if (why !== undefined && !signal.aborted)
      log.error("Images of an access rule cannot be served: their watermark is unavailable", {
        rule: number,
        reason: why,
      });
  }
};
