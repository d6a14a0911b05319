// `npm start [-- arguments]`: builds what is not built, then runs `vitrine serve` with the arguments.
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, isBuilt } from "./build.mjs";

const home = dirname(dirname(fileURLToPath(import.meta.url)));

if (!isBuilt()) {
  process.stderr.write("Building Vitrine …\n");
  const status = build();
  if (status !== 0) process.exit(status);
}
const server = spawn(
  process.execPath,
  [join(home, "dist", "cli", "main.js"), "serve", ...process.argv.slice(2)],
  // npm runs scripts in the package's folder; paths on the command line mean the caller's.
  { stdio: "inherit", cwd: process.env.INIT_CWD ?? process.cwd() },
);
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => server.kill(signal));
server.on("exit", (code, signal) => {
  process.exitCode = code ?? (signal === null ? 1 : 128);
});
