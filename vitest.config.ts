import { defineConfig } from "vitest/config";

const processes = "test/{browser,cli,process}/**/*.test.ts";

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    globalSetup: "scripts/wasm-for-tests.mjs",
    projects: [
      {
        extends: true,
        test: {
          name: "parts",
          include: ["{src,test,bench,scripts,web}/**/*.test.ts"],
          exclude: [processes],
        },
      },
      {
        extends: true,
        test: {
          name: "processes",
          include: [processes],
          // A machine under load may be late once; what is broken is broken twice.
          retry: 1,
        },
      },
    ],
  },
});
