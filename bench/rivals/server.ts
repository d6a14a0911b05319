import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";

/** A server that can be measured. */
export interface Rival {
  readonly name: string;
  /** Starts it on a port of this machine and waits until it answers. */
  start(setup: Setup): Promise<Running>;
}

/** The input of every server. */
export interface Setup {
  /** A folder of its own for what it needs beside the images. */
  readonly folder: string;
  /** The folder of the images; they are requested by file name. */
  readonly pictures: string;
  /** The name of one of them, to be requested while waiting. */
  readonly sample: string;
  /** How many processes where it is told: one per core. */
  readonly processes: number;
}

/** A running server. */
export interface Running {
  readonly name: string;
  readonly base: URL;
  /** The prefix of an identifier in a path, as in `/iiif/2`. */
  readonly prefix: string;
  /** The process; its descendants belong to it. */
  readonly pid: number;
  stop(): Promise<void>;
}

/** The JPEG quality configured in all. */
export const jpegQuality = 80;

/** Starts a command that serves on `port`, and waits until it knows the sample. */
export const startServer = async (
  name: string,
  command: readonly [string, ...string[]],
  options: {
    readonly port: number;
    readonly prefix: string;
    readonly setup: Setup;
    readonly env?: Readonly<Record<string, string>>;
    /** Is given what it says to standard error. */
    readonly onText?: (text: string) => void;
  },
): Promise<Running> => {
  const { port, prefix, setup } = options;
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd: setup.folder,
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2_000);
    options.onText?.(chunk.toString());
  });
  const failed = new Promise<never>((_resolve, reject) => {
    child.once("error", (cause) =>
      reject(new Error(`${name} could not be started (${program})`, { cause })),
    );
    child.once("exit", () => reject(new Error(`${name} ended at once. It said:\n${said}`)));
  });
  failed.catch(() => undefined);
  const base = new URL(`http://127.0.0.1:${port}`);
  try {
    await Promise.race([answers(`${base.origin}${prefix}/${setup.sample}/info.json`), failed]);
  } catch (error) {
    await stop(child);
    throw error;
  }
  return { name, base, prefix, pid: child.pid ?? 0, stop: () => stop(child) };
};

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGTERM");
  const impatient = setTimeout(() => child.kill("SIGKILL"), patience);
  await ended;
  clearTimeout(impatient);
};

const answers = async (url: string): Promise<void> => {
  const end = performance.now() + patience;
  let last = "no answer";
  while (performance.now() < end) {
    const response = await fetch(url, { signal: AbortSignal.timeout(patience) }).catch(
      () => undefined,
    );
    await response?.arrayBuffer();
    if (response?.ok) return;
    if (response) last = `status ${response.status}`;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Expected an info.json at ${url}, got ${last}`);
};

/** Maximum milliseconds for a server to start or to stop. */
const patience = 120_000;

/** A port of this machine that nobody listens on. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        typeof address === "object" && address !== null
          ? resolve(address.port)
          : reject(new Error("Expected a port")),
      );
    });
  });
