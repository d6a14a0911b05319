import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** Tests that start the built server, a browser or other programs. */
const processes = "test/{browser,cli,process}/**/*.test.ts";

/** Tests of values and functions, which may share a process: they draw nothing and leave nothing behind in it. */
const values =
  "{src/{administration,config,core,http,iiif,logging,service,sources,supervisor},bench}/**/*.test.ts";

/**
 * Tests of the whole app, which takes long to load: they share processes, too. Those that start
 * programs (FFmpeg, databases) do not: from a process in which many apps have reserved memory, that fails with ENOMEM.
 */
const whole = "test/e2e/**/!(*.long).test.ts";

/** Tests that take long or drive servers and programs that few machines have: `npm run test:all` runs them, `npm test` does not. */
const long = "**/*.long.test.ts";

/**
 * Tests that `npm test` runs in full: all but the long ones and those that do more with the others (`test/amount.ts`). In mode `long`
 * they are left out, so that CI runs them once.
 */
const short = (): string[] =>
  ["src", "test", "bench", "scripts", "web"]
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true }).map((path) => join(folder, String(path))),
    )
    .filter((path) => path.endsWith(".test.ts") && !path.endsWith(".long.test.ts"))
    .filter((path) => !path.includes("node_modules"))
    .filter((path) => !readFileSync(path, "utf8").includes("amount.ts"));

export default defineConfig(({ mode }) => {
  const isAll = mode === "all" || mode === "long";
  const left = mode === "long" ? short() : isAll ? [] : [long];
  // Projects do not inherit it. Servers without a folder for pyramids would use, and purge, the user's.
  const caches = join(import.meta.dirname, "node_modules", ".cache", "tests");
  const env = { VITRINE_TESTS: isAll ? "all" : "", XDG_CACHE_HOME: caches };
  const prepared = { env, globalSetup: "scripts/parts-for-tests.mjs" };
  return {
    test: {
      testTimeout: 30_000,
      hookTimeout: 60_000,
      // Tests wait for programs and timers much of the time; long ones would be late beside a third.
      maxWorkers: isAll ? 2 : 3,
      projects: [
        {
          extends: true,
          test: {
            ...prepared,
            name: "parts",
            include: ["{src,test,bench,scripts,web}/**/*.test.ts"],
            exclude: [processes, values, whole, ...left],
          },
        },
        {
          extends: true,
          test: { ...prepared, name: "values", include: [values], exclude: left, isolate: false },
        },
        {
          extends: true,
          test: {
            ...prepared,
            name: "whole",
            include: [whole],
            exclude: left,
            isolate: false,
            setupFiles: "test/collect-garbage.ts",
            execArgv: ["--expose-gc"],
          },
        },
        {
          extends: true,
          test: {
            name: "processes",
            env,
            globalSetup: "scripts/build-for-tests.mjs",
            include: [processes],
            exclude: left,
            // A machine under load may be late once; what is broken is broken twice.
            retry: 1,
          },
        },
      ],
    },
  };
});
