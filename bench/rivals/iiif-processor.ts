import { spawn } from "node:child_process";
import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, type Rival, type Running, type Setup, startServer } from "./server.ts";

/**
 * The npm package behind a small HTTP server of ours, installed into its working folder. Its JPEG
 * quality cannot be set; it is sharp's default, which is the 80 of the others.
 */
export const iiifProcessor = ({ version }: { readonly version: string }): Rival => ({
  name: "iiif-processor",
  async start(setup) {
    return startIiifProcessor(version, setup, setup.pictures);
  },
});

/**
 * Installs and starts it on the images at `place`, the path of a folder or the URL of a web
 * server.
 */
export const startIiifProcessor = async (
  version: string,
  setup: Setup,
  place: string,
): Promise<Running> => {
  await install(setup.folder, [`iiif-processor@${version}`, "sharp@0.35.5"]);
  const script = join(setup.folder, "server.mjs");
  await copyFile(fileURLToPath(new URL("iiif-processor-server.mjs", import.meta.url)), script);
  const port = await freePort();
  return startServer("iiif-processor", [process.execPath, script, String(port), place], {
    port,
    prefix: "/iiif/2",
    setup,
  });
};

const install = async (folder: string, packages: readonly string[]): Promise<void> => {
  await writeFile(join(folder, "package.json"), `{ "private": true, "type": "module" }\n`);
  const npm = spawn("npm", ["install", "--no-audit", "--no-fund", "--silent", ...packages], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const code = await new Promise((resolve, reject) => {
    npm.once("error", reject);
    npm.once("exit", resolve);
  });
  if (code !== 0) throw new Error(`Expected npm to install ${packages.join(" and ")}`);
};
