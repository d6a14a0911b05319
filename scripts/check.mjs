// `npm test`: the build and the static checks in parallel, then the tests; prints the result and
// duration of each.
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";

const checks = ["build -- --if-needed", "typecheck", "unused", "floors", "docs -- --check", "lint"];

/** Runs an npm script; returns its exit code, its output and its duration in seconds. */
const run = (script) =>
  new Promise((resolve) => {
    const started = performance.now();
    const child = spawn(`npm run --silent ${script}`, {
      shell: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    child.on("error", (error) => resolve({ code: 1, output: String(error), seconds: 0 }));
    child.on("close", (code) =>
      resolve({ code: code ?? 1, output, seconds: (performance.now() - started) / 1000 }),
    );
  });

/** Runs all checks, as many at a time as there are processors; prints the output of failed ones. */
const runChecks = async () => {
  const waiting = [...checks];
  let failed = 0;
  const lane = async () => {
    for (let script = waiting.shift(); script !== undefined; script = waiting.shift()) {
      const { code, output, seconds } = await run(script);
      const [name] = script.split(" ");
      console.log(`${code === 0 ? "✓" : "✗"} ${name} (${seconds.toFixed(1)} s)`);
      if (code === 0) continue;
      failed++;
      console.error(output);
    }
  };
  await Promise.all(Array.from({ length: Math.min(checks.length, availableParallelism()) }, lane));
  return failed;
};

const runTests = (args) =>
  new Promise((resolve) => {
    const child = spawn("npx", ["vitest", "run", ...args], {
      stdio: "inherit",
      shell: process.platform === "win32",
    });
    child.on("error", (error) => {
      console.error(`vitest could not be started: ${error.message}`);
      resolve(1);
    });
    child.on("close", (code) => resolve(code ?? 1));
  });

console.log(`Checks: ${checks.map((script) => script.split(" ")[0]).join(", ")}`);
const failed = await runChecks();
if (failed > 0) {
  console.error(`${failed} of ${checks.length} checks failed; the tests were not run.`);
  process.exitCode = 1;
} else {
  process.exitCode = await runTests(process.argv.slice(2));
}
