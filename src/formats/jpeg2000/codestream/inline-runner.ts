import { compileWasm } from "../../../core/wasm.ts";
import type { WindowRunner } from "./decoding.ts";
import {
  createReconstruction,
  createSharedReconstruction,
  type Encode,
  type Reconstruct,
} from "./reconstruction.ts";

/**
 * Loads what running jobs on the calling thread needs; without `encode`, those that request a JPEG
 * fail.
 */
export const loadReconstruction = async (encode?: Encode): Promise<Reconstruct> =>
  createReconstruction(await compileWasm("jpeg2000"), encode);

/** As `loadReconstruction`, for jobs with a workspace. */
export const loadSharedReconstruction = async (encode?: Encode): Promise<Reconstruct> =>
  createSharedReconstruction(await compileWasm("jpeg2000-shared"), encode);

/** Carries out jobs on the calling thread. */
export const runHere = (reconstruct: Reconstruct): WindowRunner => ({
  encodes: false,
  async run(job, signal) {
    signal.throwIfAborted();
    return reconstruct(job);
  },
  close: async () => {},
});
