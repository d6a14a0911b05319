import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** The result of a program. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A server in a process of its own, running until told to stop. */
export interface RunningProgram {
  /** Without a slash at its end. */
  readonly base: string;
  /** Of the supervisor. */
  readonly pid: number;
  /** Its output so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  signal(name: NodeJS.Signals): void;
  /** Closes the program's output, as a reader does that exits early. */
  deafen(): void;
  readonly ended: Promise<Outcome>;
}

export interface ProgramOptions {
  /** A command that runs the command appended to it; none. */
  readonly within?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

/** Runs the built `vitrine` to its end. */
export const run = (args: readonly string[], options: ProgramOptions = {}): Promise<Outcome> =>
  open(args, options).ended;

/** A running `vitrine`. */
export interface StartedProgram {
  readonly pid: number;
  /** Waits until it has written something. */
  until(said: (stderr: string) => boolean): Promise<void>;
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<Outcome>;
}

/** Starts the built `vitrine`; it ends with the test. */
export const start = (args: readonly string[], options: ProgramOptions = {}): StartedProgram => {
  const { child, stderr, ended } = open(args, options);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    pid: child.pid ?? 0,
    until: async (said) => {
      await until(async () => stderr(), said);
    },
    signal: (name) => child.kill(name),
    ended,
  };
};

/** Runs `vitrine serve` on a free port, until it says its address; it ends with the test. */
export const serve = async (
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<RunningProgram> => {
  const env = { HTTP_PORT: "0", ...options.env };
  const program = open(["serve", ...args], { ...options, env });
  onTestFinished(async () => {
    program.child.kill("SIGKILL");
    await program.ended;
  });
  const base = await new Promise<string>((resolve, reject) => {
    const look = (): void => {
      const address = /serves at (http\S+)\/\n/.exec(program.stderr())?.[1];
      if (address !== undefined) resolve(address);
    };
    program.child.stderr?.on("data", look);
    void program.ended.then(({ code, stderr }) =>
      reject(new Error(`The server ended with ${code}: ${stderr}`)),
    );
  });
  const { child } = program;
  return {
    ...program,
    base,
    pid: child.pid ?? 0,
    signal: (name) => child.kill(name),
    deafen: () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
  };
};

/**
 * Waits until a condition holds, and fails with its last state if it does not within so many
 * milliseconds.
 */
export const until = async <T>(
  ask: () => Promise<T>,
  holds: (value: T) => boolean,
  milliseconds = patience,
): Promise<T> => {
  const end = Date.now() + milliseconds;
  for (;;) {
    const value = await ask();
    if (holds(value)) return value;
    if (Date.now() > end) throw new Error(`It stayed so: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/** Time limit in milliseconds. */
const patience = 10_000;

interface Opened {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<Outcome>;
}

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

const open = (args: readonly string[], { env, cwd, within = [] }: ProgramOptions): Opened => {
  const [program = "", ...rest] = [...within, process.execPath, main, ...args];
  const child = spawn(program, rest, {
    cwd,
    env: { ...process.env, NODE_OPTIONS: "", VITRINE_CONFIG: "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  const ended = new Promise<Outcome>((resolve) =>
    child.on("close", (code) => resolve({ code, stdout, stderr })),
  );
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
};
