import { compileWasm } from "../../core/wasm.ts";
import type { WindowRunner } from "./decoder.ts";
import { createReconstruction, type Reconstruct } from "./reconstruction.ts";

/** Loads what jobs are carried out with on the calling thread. */
export const loadReconstruction = async (): Promise<Reconstruct> =>
  createReconstruction(await compileWasm("wasm", "jpeg2000"));

/** Carries out jobs on the calling thread. */
export const runHere = (reconstruct: Reconstruct): WindowRunner => ({
  async run(job, signal) {
    signal.throwIfAborted();
    return reconstruct(job);
  },
  close: async () => {},
});
