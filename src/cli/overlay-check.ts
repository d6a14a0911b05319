import type { Environment } from "../config/environment.ts";
import { loadConfig } from "../config/file.ts";
import type { Problem } from "../config/problems.ts";
import { silent } from "../core/log.ts";
import { keyGroups } from "../keys.ts";
import { createOverlayClient } from "../overlays/client.ts";
import { createOverlays } from "../overlays/overlays.ts";

/** Tries the overlay that a configuration file lays over every image; what keeps images from being shown. */
export const checkOverlay = async (path: string, env: Environment): Promise<readonly Problem[]> => {
  const loaded = await loadConfig({ groups: keyGroups, env, path });
  const client = createOverlayClient(loaded.config);
  try {
    const wrong = await createOverlays(loaded.config, client, silent).trouble(
      AbortSignal.timeout(patienceMs),
    );
    if (wrong === undefined) return [];
    const key = "overlays.BasicStrategy.enabled";
    return [
      { severity: "warning", key, message: `${key}: no image can be shown as it is. ${wrong}` },
    ];
  } finally {
    await client.close();
    await loaded.close();
  }
};

const patienceMs = 15_000;
