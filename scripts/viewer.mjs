// Copies the landing page's viewer from its package to dist/web/viewer/, so that an installation
// does not need the whole package.
import { copyFileSync, existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const home = dirname(dirname(fileURLToPath(import.meta.url)));
const placed = join(home, "dist", "web", "viewer");

/**
 * Copies OpenSeadragon and its licence, unless the copies are as new as package.json, which pins
 * its version.
 */
export const placeViewer = () => {
  const script = createRequire(import.meta.url).resolve(
    "openseadragon/build/openseadragon/openseadragon.min.js",
  );
  const licence = join(dirname(script), "..", "..", "LICENSE.txt");
  mkdirSync(placed, { recursive: true });
  const changed = statSync(join(home, "package.json")).mtimeMs;
  for (const [from, name] of [
    [script, "openseadragon.min.js"],
    [licence, "LICENSE.txt"],
  ]) {
    const to = join(placed, name);
    if (existsSync(to) && statSync(to).mtimeMs > changed) continue;
    // Under a temporary name until it is complete: a server may be reading it.
    const whole = `${to}.${process.pid}`;
    copyFileSync(from, whole);
    renameSync(whole, to);
  }
};
