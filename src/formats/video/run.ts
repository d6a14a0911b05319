import { type ChildProcess, spawn } from "node:child_process";
import { setPriority } from "node:os";
import { environment } from "../../config/environment.ts";

/** What a run of a program may take. */
export interface RunLimits {
  /** Milliseconds. */
  readonly ms: number;
  /** Of what it writes to its standard output. */
  readonly bytes: number;
  /** Of memory of its own, in bytes, with the program that sees to it; absent: not bounded. */
  readonly memory?: { readonly bytes: number; readonly prlimit: string };
}

/** A program to be run, without a shell. */
export interface ProgramRun {
  /** An absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  readonly limits: RunLimits;
  /** By how much it gives way to others, as nice values have it; 0. */
  readonly niceness?: number;
  readonly signal: AbortSignal;
}

/** How a run came to its end. */
export interface RunEnd {
  /** What it exited with, or why it was ended or could not begin. */
  readonly end: number | "killed" | "late" | "long" | "absent";
  /** What it wrote, within its limits. */
  readonly output: Uint8Array;
  /** The beginning of its complaints: for the log, never for a client. */
  readonly complaint: string;
}

/** Characters of a complaint that are kept. */
const longestComplaint = 2_000;

/**
 * Runs a program that reads nothing but its arguments and what they name, writes no files (on
 * Linux, where it is bounded by prlimit), and is killed past its limits. Throws only the signal's
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
      // A grandchild that holds them open must keep nobody waiting.
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
        // Files and libraries that it has in memory are not counted.
        `--data=${memory.bytes}`,
        `--stack=${stackBytes}`,
        // Should this process die, nobody else would end it.
        `--cpu=${Math.ceil(ms / 1_000) * maxThreads}`,
        "--fsize=0",
        "--core=0",
        "--",
      ];

/** Of each of its threads; all of it counts, touched or not. */
const stackBytes = 2_097_152;

/** As many as processor.video.threads allows. */
const maxThreads = 16;

/**
 * What programs need to start; passwords that stand in other variables are none of their business.
 */
const inherited = (): Record<string, string> => {
  const variables = environment();
  const wanted = ["PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SystemRoot"];
  return Object.fromEntries([
    ["LC_ALL", "C"],
    // glibc sets memory aside for each further one.
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
