import { Worker } from "node:worker_threads";

/**
 * Starts a thread that runs a module of ours. `module` is its URL without the extension, as
 * `new URL("./tile-worker", import.meta.url)`: it is JavaScript where this file is, else TypeScript.
 * It finds `data` in its `workerData`.
 */
export const startThread = (module: URL, data: Readonly<Record<string, unknown>> = {}): Worker =>
  import.meta.url.endsWith(".ts")
    ? new Worker(startFromSource, {
        eval: true,
        execArgv: [],
        workerData: {
          ...data,
          loader: import.meta.resolve("tsx/esm/api"),
          thread: `${module.href}.ts`,
        },
      })
    : new Worker(new URL(`${module.href}.js`), { execArgv: [], workerData: data });

/** Threads do not inherit the loader of TypeScript; run from source, they fetch their own. */
const startFromSource = `
  const { workerData } = require("node:worker_threads");
  import(workerData.loader).then(({ register }) => {
    register();
    return import(workerData.thread);
  });`;
