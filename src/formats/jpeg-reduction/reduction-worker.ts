import { compileWasm, kernelOn } from "../../core/wasm.ts";
import { answerJobs } from "../pool/index.ts";
import { ReusedInstance } from "../wasm/index.ts";
import type { ReductionJob, ReductionOutcome } from "./contract.ts";
import type { JpegKernel } from "./kernel.ts";
import { readReduced } from "./read-file.ts";

await answerJobs<ReductionJob, ReductionOutcome>(async () => {
  const module = await compileWasm("jpeg");
  const kernels = new ReusedInstance(() =>
    kernelOn<JpegKernel>(module, new WebAssembly.Memory({ initial: 16 })),
  );
  return {
    carryOut(job, report) {
      const part = kernels.with((kernel) =>
        readReduced(kernel, job, (early) => report({ part: early })),
      );
      return part === undefined ? {} : { part };
    },
    transfer: ({ part }) => (part ? [part.bytes.buffer as ArrayBuffer] : []),
    // An instance whose job failed is not reused, so that corrupt data has no lasting effect.
    isFatal: () => false,
  };
});
