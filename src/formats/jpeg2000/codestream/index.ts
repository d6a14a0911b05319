export type {
  Codestream,
  CodestreamDecoder,
  CodestreamHeader,
  CodestreamPlace,
  Component,
  OpenCodestream,
  Plane,
  RegionSurvey,
} from "./contract.ts";
export { createCodestreamDecoder, type DecoderLimits } from "./decoder.ts";
export type { WindowRunner } from "./decoding.ts";
export { loadReconstruction, runHere } from "./inline-runner.ts";
export type { JpegForm } from "./job.ts";
export { openCodestream } from "./main-header.ts";
export { runInThreads } from "./threads.ts";
