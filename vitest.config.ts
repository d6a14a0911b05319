import { defineConfig } from "vitest/config";

/** Tests that start the built server, a browser or other programs. */
const processes = "test/{browser,cli,process}/**/*.test.ts";

/** Tests that take long: `npm run test:all` runs them, `npm test` does not. */
const long = "**/*.long.test.ts";

export default defineConfig(({ mode }) => {
  const isAll = mode === "all";
  const left = isAll ? [] : [long];
  // Projects do not inherit it.
  const env = { VITRINE_TESTS: isAll ? "all" : "" };
  return {
    test: {
      testTimeout: 30_000,
      hookTimeout: 60_000,
      maxWorkers: 2,
      projects: [
        {
          extends: true,
          test: {
            name: "parts",
            env,
            globalSetup: "scripts/wasm-for-tests.mjs",
            include: ["{src,test,bench,scripts,web}/**/*.test.ts"],
            exclude: [processes, ...left],
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
