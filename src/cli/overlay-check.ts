import { rulePrefix } from "../access/keys.ts";
import { readRules, watermarksOf } from "../access/rules.ts";
import { keyGroups } from "../app/keys.ts";
import type { Environment } from "../config/environment.ts";
import { loadConfig } from "../config/file.ts";
import type { ConfigurationProblem } from "../config/problems.ts";
import { silent } from "../core/log.ts";
import { createOverlayClient } from "../overlays/client.ts";
import { createOverlays } from "../overlays/overlays.ts";

/**
 * Tries the overlay and the watermarks of a configuration file; returns what keeps images from
 * being served.
 */
export const checkOverlay = async (
  path: string,
  env: Environment,
): Promise<readonly ConfigurationProblem[]> => {
  const loaded = await loadConfig({ groups: keyGroups, env, path });
  const client = createOverlayClient(loaded.config);
  try {
    const overlays = createOverlays(loaded.config, client, silent);
    const signal = AbortSignal.timeout(patienceMs);
    const wrong = await overlays.trouble(signal);
    const problems =
      wrong === undefined
        ? []
        : [warning("overlays.BasicStrategy.enabled", `no image can be served. ${wrong}`)];
    for (const { number, watermark } of watermarksOf(readRules(loaded.config.current).rules)) {
      const reason = await overlays.watermarkTrouble(watermark, signal);
      const key = `${rulePrefix}${number}.watermark`;
      if (reason !== undefined)
        problems.push(warning(key, `images of this rule cannot be served. ${reason}`));
    }
    return problems;
  } finally {
    await client.close();
    await loaded.close();
  }
};

const warning = (key: string, message: string): ConfigurationProblem => ({
  severity: "warning",
  key,
  message: `${key}: ${message}`,
});

const patienceMs = 15_000;
