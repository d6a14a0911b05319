import type { Environment } from "../config/environment.ts";
import type { Snapshot } from "../config/store.ts";
import { type Child, startChild } from "../core/child.ts";
import { localPath, type RangeReader } from "../core/range-reader.ts";
import { readRanges } from "../core/read-ranges.ts";
import { watchMemory } from "../pyramids/memory-watch.ts";
import { workerEnvironment } from "../supervisor/worker-environment.ts";
import type { ExaminingOptions } from "./examining.ts";
import type { Examined } from "./facts.ts";
import type { FromExaminer, ToExaminer } from "./messages.ts";

/** The limits of examining one object. */
export interface ExaminerLimits {
  /** Milliseconds after which its process is killed. */
  readonly timeoutMs: number;
  /** Of its process, in bytes; Linux only. */
  readonly memory: number;
}

/** Number of objects after which a process is replaced, to contain memory leaks of decoders. */
const maxObjects = 500;

/** Maximum bytes that a process may request at once, because the parent holds them in memory. */
const maxRequested = 67_108_864;

/** Maximum of the timeout keys. */
const maxSeconds = 3_600;

/** Maximum decoded bytes as a share of the process's memory. */
const decodedShare = 0.5;

/**
 * The parent's side of an examining process, which is started on demand and replaced after a crash.
 */
export class Examiner {
  readonly #env: Environment;
  readonly #values: Snapshot;
  readonly #limits: ExaminerLimits;
  #process: { readonly child: Child; objects: number } | undefined;

  constructor(env: Environment, values: Snapshot, limits: ExaminerLimits) {
    this.#env = env;
    this.#limits = limits;
    // The parent's limits apply instead, since their messages name the options.
    const seconds = Math.min(maxSeconds, Math.ceil(limits.timeoutMs / 1_000));
    this.#values = {
      ...values,
      "processor.timeout": 0,
      "processor.pdf.timeout": seconds,
      "processor.svg.timeout": seconds,
      "processor.video.timeout": seconds,
      "processor.max_scanned_pixels": 100_000_000_000,
      "processor.max_decoded_bytes": Math.floor(limits.memory * decodedShare),
    };
  }

  /**
   * Examines the bytes of a reader without closing it. Throws failures of the storage and the
   * signal's reason.
   */
  async examine(
    reader: RangeReader,
    options: ExaminingOptions,
    signal: AbortSignal,
  ): Promise<Examined> {
    signal.throwIfAborted();
    const { child } = this.#begin();
    const watch = watchMemory(
      { pid: child.pid, kill: () => child.terminate() },
      this.#limits.memory,
    );
    const { timeoutMs, memory } = this.#limits;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      void child.terminate();
    }, timeoutMs);
    const stop = (): void => void child.terminate();
    signal.addEventListener("abort", stop, { once: true });
    try {
      const ended = await exchange(child, { reader, options, signal });
      if (!("lost" in ended)) return ended;
      this.#process = undefined;
      signal.throwIfAborted();
      if (isLate)
        return limited(`The examination took longer than ${timeoutMs / 1_000} s (--timeout).`);
      if (watch.exceeded)
        return limited(`The examination took more than ${memory / 2 ** 20} MiB (--memory).`);
      const reason = `The decoder crashed (${ended.lost}).`;
      return { decoded: "nothing", problem: { kind: "unreadable", reason } };
    } catch (error) {
      // Its state is unknown.
      await this.close();
      throw error;
    } finally {
      clearTimeout(timer);
      watch.stop();
      signal.removeEventListener("abort", stop);
    }
  }

  /** Ends the process. */
  async close(): Promise<void> {
    const before = this.#process;
    this.#process = undefined;
    await before?.child.terminate();
  }

  #begin(): { readonly child: Child } {
    const before = this.#process;
    if (before && before.objects < maxObjects) {
      before.objects++;
      return before;
    }
    void before?.child.terminate();
    const variables = workerEnvironment(this.#env, { drawn: 1, allocator: "auto" });
    const module = new URL("./examine-worker", import.meta.url);
    const child = startChild(module, [], this.#env, variables);
    // Its exit reports any problem.
    child.on("error", () => {});
    const begun = { child, objects: 1 };
    child.once("exit", () => {
      if (this.#process === begun) this.#process = undefined;
    });
    this.#process = begun;
    post(child, { kind: "configure", values: this.#values });
    return begun;
  }
}

const post = (child: Child, message: ToExaminer): void => child.postMessage(message);

const limited = (reason: string): Examined => ({
  decoded: "part",
  problem: { kind: "limit", reason },
});

/** How a process ended: its exit code or signal. */
interface Lost {
  readonly lost: unknown;
}

/** Makes a process examine an object, and answers its requests for bytes. */
const exchange = (
  child: Child,
  {
    reader,
    options,
    signal,
  }: {
    readonly reader: RangeReader;
    readonly options: ExaminingOptions;
    readonly signal: AbortSignal;
  },
): Promise<Examined | Lost> =>
  new Promise((resolve, reject) => {
    let failure: unknown;
    const end = (settle: () => void): void => {
      child.off("message", hear);
      child.off("exit", lost);
      settle();
    };
    const lost = (how: unknown): void => end(() => resolve({ lost: how }));
    const answer = async (message: FromExaminer): Promise<void> => {
      if (message.kind !== "read" && message.kind !== "copy") return;
      const { id } = message;
      try {
        post(
          child,
          message.kind === "copy"
            ? { kind: "copied", id, path: await localPath(reader, signal) }
            : { kind: "bytes", id, parts: await partsOf(reader, message.ranges, signal) },
        );
      } catch (error) {
        failure ??= error;
        post(child, { kind: "refused", id });
      }
    };
    const hear = (message: FromExaminer): void => {
      if (message.kind === "examined")
        end(() => (failure === undefined ? resolve(message.examined) : reject(failure)));
      else if (message.kind === "failed")
        end(() =>
          failure === undefined
            ? resolve({
                decoded: "nothing",
                problem: { kind: "unreadable", reason: message.message },
              })
            : reject(failure),
        );
      else void answer(message);
    };
    child.on("message", hear);
    child.once("exit", lost);
    const { path } = reader;
    const place = path === undefined ? { size: reader.size } : { path };
    post(child, { kind: "examine", place, options });
  });

/** Parts of an object, with a limit in case the process misbehaves. */
const partsOf = async (
  reader: RangeReader,
  ranges: Extract<FromExaminer, { readonly kind: "read" }>["ranges"],
  signal: AbortSignal,
): Promise<readonly Uint8Array[]> => {
  const total = ranges.reduce((sum, { length }) => sum + length, 0);
  if (total > maxRequested) throw new Error(`Reading ${total} bytes at once is not allowed.`);
  return readRanges(reader, ranges, signal);
};
