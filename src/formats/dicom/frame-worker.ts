import { boundGrowth } from "../../core/wasm-bound.ts";
import { answerJobs } from "../pool/index.ts";
import { decodeFrame } from "./decode-frame.ts";
import type { FrameJob, FrameSamples } from "./job.ts";

await answerJobs<FrameJob, FrameSamples>(async ({ memory }) => {
  // For CharLS; the memory of our own decoders follows from the frame's size.
  if (typeof memory === "number") boundGrowth(() => memory);
  return {
    carryOut: decodeFrame,
    transfer: ({ bytes }) => [bytes.buffer as ArrayBuffer],
  };
});
