// Builds the control panel from web/panel/ to dist/web/panel/, with compressed copies where they
// are smaller.
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const home = dirname(dirname(fileURLToPath(import.meta.url)));
const built = join(home, "dist", "web", "panel");

/** The sources of the panel. */
const inputs = ["web", "package.json", "scripts/panel.mjs"];

const newest = (path) => {
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  return readdirSync(path).reduce(
    (latest, name) => Math.max(latest, newest(join(path, name))),
    found.mtimeMs,
  );
};

/** True when dist/web/panel/ is newer than all its sources. */
const isPanelBuilt = () => {
  const stamp = join(built, ".built");
  if (!existsSync(stamp)) return false;
  return inputs.every((name) => newest(join(home, name)) <= statSync(stamp).mtimeMs);
};

/** Builds the panel into a folder, the default one where none is named; throws where that fails. */
const buildPanel = async (folder = built) => {
  const started = new Date();
  const { build } = await import("vite");
  await build({
    configFile: join(home, "web", "panel", "vite.config.ts"),
    logLevel: "warn",
    build: { outDir: folder },
  });
  compressAll(join(folder, "assets"));
  const stamp = join(folder, ".built");
  writeFileSync(stamp, "");
  utimesSync(stamp, started, started);
};

/** Writes `NAME.br` and `NAME.gz` beside each file that they make smaller. */
const compressAll = (folder) => {
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, name));
    const smaller = {
      br: brotliCompressSync(bytes, {
        params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
      }),
      gz: gzipSync(bytes, { level: 9 }),
    };
    for (const [ending, compressed] of Object.entries(smaller))
      if (compressed.length < bytes.length)
        writeFileSync(join(folder, `${name}.${ending}`), compressed);
  }
};

// `node scripts/panel.mjs [--if-needed | FOLDER]`
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [argument] = process.argv.slice(2);
  if (argument !== "--if-needed") await buildPanel(argument);
  else if (!isPanelBuilt()) await buildPanel();
}
