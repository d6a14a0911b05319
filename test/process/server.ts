import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { shareOf } from "../../bench/memory.ts";

/** `vitrine serve` as a process of its own, on a port and a folder of its own. */
export interface ServerProcess {
  readonly base: string;
  /** Of the supervisor. */
  readonly pid: number;
  /** The path of its configuration. */
  readonly configuration: string;
  /** Its standard error so far. */
  said(): string;
  /** The process ids of its serving workers that still exist. */
  workers(): readonly number[];
  /** Memory of it and everything it has started in bytes, counting shared pages once. */
  memory(): Promise<number>;
  signal(name: NodeJS.Signals): void;
  /** Its exit code, or the signal that ended it, once it has ended. */
  readonly ended: Promise<number | string>;
  /** Ends it, whatever state it is in, and removes its folder. */
  remove(): Promise<void>;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: number;
  readonly milliseconds: number;
}

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const startMs = 40_000;

/**
 * Starts the built server on the content that `draw` puts into its folder; settings are lines of a
 * file. Each of its processes may have so many `descriptors`, else as many as this one.
 */
export const startProcess = async (
  draw: (folder: string) => Promise<void>,
  settings: Readonly<Record<string, string | number>>,
  { descriptors }: { readonly descriptors?: number } = {},
): Promise<ServerProcess> => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-process-"));
  await draw(folder);
  const path = join(folder, "vitrine.properties");
  const all = {
    "http.host": "127.0.0.1",
    "http.port": 0,
    "FilesystemSource.BasicLookupStrategy.path_prefix": folder + sep,
    ...settings,
  };
  const lines = Object.entries(all).map(([key, value]) => `${key} = ${value}\n`);
  await writeFile(path, lines.join(""));
  const command = [process.execPath, main, "serve", "--config", path];
  const limit = descriptors === undefined ? "" : `ulimit -n ${descriptors}; `;
  const child = spawn("sh", ["-c", `${limit}exec "$@"`, "sh", ...command], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const ended = once(child, "exit").then(([code, signal]) => code ?? signal);
  const remove = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  const serving = (): string | undefined => /Vitrine serves at (\S+)\//.exec(said)?.[1];
  await until(() => serving() !== undefined || isOver(child), startMs).catch(() => {});
  return {
    base: serving() ?? "",
    pid: child.pid ?? 0,
    configuration: path,
    said: () => said,
    // By its log: workers may have processes of their own.
    workers: () =>
      [...said.matchAll(/A worker serves .*pid=(\d+)/g)]
        .map(([, pid]) => Number(pid))
        .filter(isThere),
    memory: async () => (child.pid === undefined ? 0 : shareOf(child.pid)),
    signal: (name) => child.kill(name),
    ended,
    remove,
  };
};

const isOver = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null;

/** Resolves once so many workers, counted since the start, serve. */
export const haveServed = ({ said }: ServerProcess, count: number): Promise<void> =>
  until(() => (said().match(/A worker serves/g) ?? []).length >= count).catch((error: unknown) => {
    throw new Error(`Fewer than ${count} workers have served. The server said: ${said()}`, {
      cause: error,
    });
  });

/** Resolves once `holds`; rejects when that takes longer than so many milliseconds. */
export const until = async (
  holds: () => boolean | Promise<boolean>,
  ms = 30_000,
): Promise<void> => {
  const end = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`It did not come about within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/** Whether a process exists. */
export const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/**
 * Requests a path over a connection of its own unless an agent is given; rejects when the
 * connection fails or the signal aborts.
 */
export const ask = (
  base: string,
  path: string,
  { signal, agent }: { readonly signal?: AbortSignal; readonly agent?: Agent } = {},
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const came = performance.now();
    const asking = request(`${base}${path}`, {
      agent: agent ?? false,
      ...(signal && { signal }),
    });
    asking.setTimeout(30_000, () => asking.destroy(new Error("No answer within 30 s")));
    asking.on("error", reject);
    asking.on("response", (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes,
          milliseconds: performance.now() - came,
        }),
      );
    });
    asking.end();
  });

/** An agent whose connections stay open. */
export const lastingAgent = (): Agent => new Agent({ keepAlive: true, maxSockets: 200 });
