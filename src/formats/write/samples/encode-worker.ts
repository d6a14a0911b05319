import { answerJobs } from "../../pool/index.ts";
import { createSampleEncoder } from "./encode.ts";
import type { EncodeJob } from "./job.ts";

await answerJobs<EncodeJob, Uint8Array>(async ({ memory }) => ({
  carryOut: createSampleEncoder(typeof memory === "number" ? memory : undefined),
  transfer: ({ buffer }) => [buffer as ArrayBuffer],
}));
