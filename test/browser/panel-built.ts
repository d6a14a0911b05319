import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Builds the control panel where it is older than its sources. */
export const buildPanelIfNeeded = (): void => {
  const home = fileURLToPath(new URL("../../", import.meta.url));
  const { status, stderr } = spawnSync(
    process.execPath,
    [join("scripts", "panel.mjs"), "--if-needed"],
    { cwd: home, encoding: "utf8", timeout: 60_000 },
  );
  if (status !== 0) throw new Error(`The control panel cannot be built: ${stderr}`);
};
