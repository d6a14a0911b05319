import { fail } from "../../src/core/errors.ts";
import { answerJobs } from "../../src/formats/pool/worker.ts";

/** Instructions for a test thread. */
export type TrialJob =
  | { readonly does: "answer"; readonly bytes: Uint8Array }
  /** Reports each byte, then waits until the last one of what it shares is set. */
  | { readonly does: "report"; readonly bytes: Uint8Array; readonly shared: Int32Array }
  | { readonly does: "number" | "fail" | "throw" | "spoil" | "hang" | "grow" };

const all: unknown[] = [];

await answerJobs<TrialJob, Uint8Array>(async ({ number }) => ({
  carryOut(job, report) {
    switch (job.does) {
      case "report":
        for (const byte of job.bytes) report(Uint8Array.of(byte));
        Atomics.wait(job.shared, 0, 0);
        return Uint8Array.of(0);
      case "answer":
        return job.bytes;
      case "number":
        return Uint8Array.of(Number(number));
      case "fail":
        return fail("denied", "Expected another job.");
      case "throw":
        throw new Error("odd");
      case "spoil":
        throw Object.assign(new Error("unreachable"), { name: "RuntimeError" });
      case "hang":
        for (;;) Math.random();
      case "grow":
        for (;;) all.push({});
    }
  },
  transfer: ({ buffer }) => [buffer as ArrayBuffer],
}));
