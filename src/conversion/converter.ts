import { rm } from "node:fs/promises";
import type { Environment } from "../config/environment.ts";
import type { Snapshot } from "../config/store.ts";
import { type Child, startChild } from "../core/child.ts";
import type { FindReduced } from "../formats/write/pyramid/index.ts";
import { workerEnvironment } from "../supervisor/worker-environment.ts";
import { unfinishedBy } from "./atomic-file.ts";
import type { Converted } from "./conversion.ts";
import type { ConvertJob } from "./convert-file.ts";
import type { FromConverter, ToConverter } from "./convert-messages.ts";
import { lowerChild } from "./process-priority.ts";

/** The result of a file. */
export type ConversionOutcome =
  | { readonly converted: Converted }
  /** The reason for the failure, as a message; `isLost` if the process ended unexpectedly. */
  | { readonly failed: string; readonly isLost?: true };

/** What a conversion reports to, and gets help from. */
export interface ConversionHelp {
  readonly onProgress: (share: number, pixels: number) => void;
  /** Finds levels of a pyramid that exist already; absent: none do. Must not reject. */
  readonly findReduced?: FindReduced | undefined;
  readonly signal: AbortSignal;
}

type Question = Extract<FromConverter, { kind: "find-reduced" }>;

/** Milliseconds a process has to clean up. */
const closingMs = 3_000;

/**
 * Maximum number of images that one process renders at a time: an estimate of the threads it needs.
 */
const drawn = 1;

/** A converting process, as seen by its parent. */
export class Converter {
  readonly #child: Child;
  readonly #gone: Promise<unknown>;
  isGone = false;

  /** Starts the process, on Linux with the given nice value: 0 to 19. */
  constructor(env: Environment, { niceness = 0 }: { readonly niceness?: number } = {}) {
    const variables = workerEnvironment(env, { drawn, allocator: "auto" });
    const module = new URL("./convert-worker", import.meta.url);
    this.#child = startChild(module, [String(niceness)], env, variables);
    lowerChild(this.#child.pid, niceness);
    // Its exit reports any problem.
    this.#child.on("error", () => {});
    this.#gone = new Promise((resolve) =>
      this.#child.once("exit", (how: unknown) => {
        this.isGone = true;
        resolve(how);
      }),
    );
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Converts a file. Ends early, with `failed`, when the signal aborts. */
  async convert(
    job: ConvertJob,
    values: Snapshot,
    { onProgress, findReduced = async () => undefined, signal }: ConversionHelp,
  ): Promise<ConversionOutcome> {
    const stop = (): void => this.#stop();
    signal.addEventListener("abort", stop, { once: true });
    let hear: (message: FromConverter) => void = () => {};
    try {
      const answered = new Promise<ConversionOutcome>((resolve) => {
        hear = (message) => {
          if (message.kind === "progress") onProgress(message.share, message.pixels);
          if (message.kind === "find-reduced") void this.#answer(message, findReduced);
          if (message.kind === "done") resolve({ converted: message.converted });
          if (message.kind === "failed") resolve({ failed: message.message });
        };
        this.#child.on("message", hear);
      });
      this.#post({ kind: "convert", job, values });
      const lost = this.#gone.then(async (how): Promise<ConversionOutcome> => {
        // It had no time to do so itself.
        for (const path of unfinishedBy(job.to, this.#child.pid)) await rm(path, { force: true });
        const failed = `${job.from}: the converting process ended unexpectedly (${how})`;
        return { failed, isLost: true };
      });
      return await Promise.race([answered, lost]);
    } finally {
      signal.removeEventListener("abort", stop);
      this.#child.off("message", hear);
    }
  }

  /** Ends the process. */
  async close(): Promise<void> {
    this.#stop();
    await this.#gone;
  }

  /** Kills the process at once. */
  kill(): Promise<void> {
    return this.#child.terminate();
  }

  #stop(): void {
    this.#post({ kind: "stop" });
    const timer = setTimeout(() => void this.#child.terminate(), closingMs);
    void this.#gone.then(() => clearTimeout(timer));
  }

  async #answer({ question, size }: Question, findReduced: FindReduced): Promise<void> {
    this.#post({ kind: "reduced", question, found: await findReduced(size) });
  }

  #post(message: ToConverter): void {
    if (!this.isGone) this.#child.postMessage(message);
  }
}
