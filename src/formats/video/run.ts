import { type ChildProcess, spawn } from "node:child_process";
import { setPriority } from "node:os";
import { environment } from "../../config/environment.ts";

/** The limits of a program's run. */
export interface RunLimits {
  /** Milliseconds. */
  readonly ms: number;
  /** Maximum bytes of its standard output. */
  readonly bytes: number;
  /** Maximum bytes of its memory, with the program that enforces it; absent: unlimited. */
  readonly memory?: { readonly bytes: number; readonly prlimit: string };
}

/** A program to be run, without a shell. */
export interface ProgramRun {
  /** An absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  readonly limits: RunLimits;
  /** Nice value; 0. */
  readonly niceness?: number;
  readonly signal: AbortSignal;
}

/** The end of a run. */
export interface RunEnd {
  /** Its exit code, or why it was killed or could not start. */
  readonly end: number | "killed" | "late" | "long" | "absent";
  /** Its output, within the limit. */
  readonly output: Uint8Array;
  /** The beginning of its error output: for the log, never for a client. */
  readonly complaint: string;
}

/** Maximum characters of error output. */
const longestComplaint = 2_000;

/**
 * Runs a program that reads nothing but its arguments and the files they name, writes no files (on
 * Linux, where prlimit enforces it), and is killed past its limits. Throws only the signal's
 * reason.
 */
export const runProgram = ({ signal, ...run }: ProgramRun): Promise<RunEnd> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const chunks: Buffer[] = [];
    let length = 0;
    let complaint = "";
    const child = start(run);
    const leave = (): void => finish(() => reject(signal.reason));
    const timer = setTimeout(() => conclude("late"), run.limits.ms);
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
      child.kill("SIGKILL");
      // A grandchild that keeps them open must not keep anybody waiting.
      child.stdout?.destroy();
      child.stderr?.destroy();
      settle();
    };
    const conclude = (end: RunEnd["end"]): void =>
      finish(() => resolve({ end, output: Buffer.concat(chunks), complaint }));
    signal.addEventListener("abort", leave, { once: true });
    child.stdout?.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > run.limits.bytes) conclude("long");
      else chunks.push(chunk);
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      complaint = (complaint + chunk.toString("latin1")).slice(0, longestComplaint);
    });
    child.on("error", (error) => {
      complaint = error.message;
      conclude("absent");
    });
    child.on("close", (code) => conclude(code ?? "killed"));
  });

const start = ({
  program,
  args,
  limits,
  niceness = 0,
}: Omit<ProgramRun, "signal">): ChildProcess => {
  const [command = program, ...rest] = [...bounds(limits), program, ...args];
  const child = spawn(command, rest, {
    stdio: ["ignore", "pipe", "pipe"],
    env: inherited(),
    windowsHide: true,
  });
  if (niceness > 0 && child.pid !== undefined) lower(child.pid, niceness);
  return child;
};

const bounds = ({ ms, memory }: RunLimits): readonly string[] =>
  memory === undefined
    ? []
    : [
        memory.prlimit,
        // Mapped files and libraries are not counted.
        `--data=${memory.bytes}`,
        `--stack=${stackBytes}`,
        // If this process dies, nobody else would end it.
        `--cpu=${Math.ceil(ms / 1_000) * maxThreads}`,
        "--fsize=0",
        "--core=0",
        "--",
      ];

/** Stack of each of its threads; all of it counts, used or not. */
const stackBytes = 2_097_152;

/** As many threads as processor.video.threads allows. */
const maxThreads = 16;

/**
 * The environment that programs need to start; passwords in other variables are none of their
 * business.
 */
const inherited = (): Record<string, string> => {
  const variables = environment();
  const wanted = ["PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SystemRoot"];
  return Object.fromEntries([
    ["LC_ALL", "C"],
    // glibc reserves memory for each further arena.
    ["MALLOC_ARENA_MAX", "2"],
    ...wanted.flatMap((name) => {
      const value = variables[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  ]);
};

const lower = (pid: number, niceness: number): void => {
  try {
    setPriority(pid, niceness);
  } catch {
    // It is over already.
  }
};
