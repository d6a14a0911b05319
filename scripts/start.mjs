// `npm start [-- arguments]`: builds what is not built, then runs `vitrine serve` with the
// arguments.
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, isBuilt } from "./build.mjs";

const home = dirname(dirname(fileURLToPath(import.meta.url)));
const main = join(home, "dist", "cli", "main.js");

/**
 * Stops the server when npm is gone. npm passes signals on to the shell it runs scripts in, which
 * exits without passing them on: the server would stay behind and keep its port.
 */
const endWithParent = () => {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, 250);
  watch.unref();
  // A signal must not be counted twice: a second one does not wait.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => clearInterval(watch));
};

if (!isBuilt()) {
  process.stderr.write("Building Vitrine …\n");
  const status = build();
  if (status !== 0) process.exit(status);
}
// npm runs scripts in the package's folder; paths on the command line are relative to the caller's.
if (process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
process.argv = [process.execPath, main, "serve", ...process.argv.slice(2)];
if (process.env.npm_lifecycle_event) endWithParent();
await import(pathToFileURL(main).href);
