import { compileWasm } from "../../../core/wasm.ts";
import type { WindowRunner } from "./decoding.ts";
import { createReconstruction, type Encode, type Reconstruct } from "./reconstruction.ts";

/**
 * Loads what jobs are carried out with on the calling thread; without `encode`, those that ask for
 * a JPEG fail.
 */
export const loadReconstruction = async (encode?: Encode): Promise<Reconstruct> =>
  createReconstruction(await compileWasm("jpeg2000"), encode);

/** Carries out jobs on the calling thread. */
export const runHere = (reconstruct: Reconstruct): WindowRunner => ({
  encodes: false,
  async run(job, signal) {
    signal.throwIfAborted();
    return reconstruct(job);
  },
  close: async () => {},
});
