import { parentPort } from "node:worker_threads";
import { loadReconstruction } from "./here.ts";
import type { WindowAnswer, WindowRequest } from "./job.ts";

const reconstruct = await loadReconstruction();

parentPort?.on("message", ({ id, job }: WindowRequest) => {
  try {
    const samples = reconstruct(job);
    const answer: WindowAnswer = { id, samples };
    parentPort?.postMessage(
      answer,
      samples.map(({ buffer }) => buffer as ArrayBuffer),
    );
  } catch (error) {
    const answer: WindowAnswer = { id, damage: error instanceof Error ? error.message : "unknown" };
    parentPort?.postMessage(answer);
  }
});
