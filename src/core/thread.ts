import { Worker } from "node:worker_threads";

/**
 * Starts a thread that runs one of our modules. `module` is its URL without the extension, as `new
 * URL("./tile-worker", import.meta.url)`: it is JavaScript where this file is, else TypeScript. It
 * finds `data` in its `workerData`, and ends where its heap exceeds `heapBytes`.
 */
export const startThread = (
  module: URL,
  data: Readonly<Record<string, unknown>> = {},
  heapBytes?: number,
): Worker => {
  const limits = heapBytes && {
    resourceLimits: {
      maxOldGenerationSizeMb: Math.ceil(heapBytes / 1_048_576),
      maxYoungGenerationSizeMb: youngMegabytes,
    },
  };
  return import.meta.url.endsWith(".ts")
    ? new Worker(startFromSource, {
        ...limits,
        eval: true,
        execArgv: [],
        workerData: {
          ...data,
          loader: import.meta.resolve("tsx/esm/api"),
          thread: `${module.href}.ts`,
        },
      })
    : new Worker(new URL(`${module.href}.js`), { ...limits, execArgv: [], workerData: data });
};

/** Young generation of a thread's heap. */
const youngMegabytes = 12;

/** Threads do not inherit the TypeScript loader; run from source, they load their own. */
const startFromSource = `
  const { workerData } = require("node:worker_threads");
  import(workerData.loader).then(({ register }) => {
    register();
    return import(workerData.thread);
  });`;
