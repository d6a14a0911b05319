import { answerJobs } from "../threads/worker.ts";
import { decodeFrame } from "./decode-frame.ts";
import type { FrameJob, FrameSamples } from "./job.ts";

await answerJobs<FrameJob, FrameSamples>(async () => ({
  carryOut: decodeFrame,
  transfer: ({ bytes }) => [bytes.buffer as ArrayBuffer],
}));
