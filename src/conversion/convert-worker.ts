import { masked } from "../config/masked.ts";
import { Config, type Snapshot } from "../config/store.ts";
import { type ConvertJob, convertFile, failureText } from "./convert-file.ts";
import type { FromConverter, ToConverter } from "./convert-messages.ts";
import { LevelQuestions } from "./level-questions.ts";
import { lowerProcess } from "./process-priority.ts";

/** A process that converts one file after another. Its argument is its nice value. */
const niceness = Number(process.argv[2] ?? 0);
if (niceness > 0) lowerProcess(niceness);

const stop = new AbortController();

const tell = (message: FromConverter): void => {
  // The parent may be gone.
  if (process.connected) process.send?.(message);
};

/** Milliseconds for which uninterruptible work may delay the exit. */
const lingerMs = 500;

const end = (): void => {
  stop.abort();
  setTimeout(() => process.exit(1), lingerMs).unref();
  if (process.connected) process.disconnect?.();
};

/** Milliseconds for which an answer is awaited; the server waits for an overview for less. */
const maxAnswerMs = 15_000;

const questions = new LevelQuestions(
  (question, size) => tell({ kind: "find-reduced", question, size }),
  maxAnswerMs,
);

const work = async (job: ConvertJob, values: Snapshot): Promise<void> => {
  try {
    const config = new Config(values);
    const onProgress = (share: number, pixels: number): void =>
      tell({ kind: "progress", share, pixels });
    const means = { config, onProgress, findReduced: questions.find };
    const converted = await convertFile(job, means, stop.signal);
    tell({ kind: "done", converted });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    tell({ kind: "failed", message: failureText(error, job) ?? `${job.from}: ${masked(message)}` });
  }
};

// A terminal signals all its processes; the parent decides what follows.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
process.on("disconnect", end);
process.on("message", (message: ToConverter) => {
  if (message.kind === "stop") end();
  else if (message.kind === "reduced") questions.hear(message.question, message.found);
  else void work(message.job, message.values);
});
tell({ kind: "ready" });
