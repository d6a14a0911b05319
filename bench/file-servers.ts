import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "./rivals/server.ts";

/** A running server of plain files. */
export interface FileServer {
  readonly base: URL;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Writes bodies as files, by their paths below a folder. */
export const writeFiles = async (
  folder: string,
  bodies: ReadonlyMap<string, Uint8Array>,
): Promise<void> => {
  for (const [path, body] of bodies) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, body);
  }
};

/** The files of a folder from memory, by `node:http` alone, in one process. */
export const startPlain = async (folder: string): Promise<FileServer> => {
  const port = await freePort();
  const script = fileURLToPath(new URL("plain-server.mjs", import.meta.url));
  return started("node:http", [process.execPath, script, folder, String(port)], port);
};

/** The files of a folder by nginx, in one process; `work` is a folder for its configuration. */
export const startNginx = async (folder: string, work: string): Promise<FileServer> => {
  const port = await freePort();
  const config = join(work, "nginx.conf");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `  ${name}_temp_path ${join(work, name)};`)
    .join("\n");
  await writeFile(
    config,
    `daemon off;
master_process off;
pid ${join(work, "nginx.pid")};
error_log ${join(work, "error.log")};
events { worker_connections 1024; }
http {
${temporary}
  access_log off;
  default_type image/jpeg;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  open_file_cache max=10000;
  server {
    listen 127.0.0.1:${port};
    root ${folder};
  }
}
`,
  );
  return started("nginx", ["nginx", "-e", join(work, "error.log"), "-c", config], port);
};

const started = async (
  name: string,
  [program, ...args]: readonly [string, ...string[]],
  port: number,
): Promise<FileServer> => {
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-2_000);
  });
  const failed = new Promise<never>((_, reject) => {
    child.once("error", (cause) => reject(new Error(`${name} could not be started`, { cause })));
    child.once("exit", () => reject(new Error(`${name} ended at once. It said: ${said}`)));
  });
  failed.catch(() => {});
  const base = new URL(`http://127.0.0.1:${port}`);
  try {
    await Promise.race([answers(base), failed]);
  } catch (error) {
    await stop(child);
    throw error;
  }
  return { base, pid: child.pid ?? 0, stop: () => stop(child) };
};

const patienceMs = 10_000;

const answers = async (base: URL): Promise<void> => {
  const end = performance.now() + patienceMs;
  for (;;) {
    const answer = await fetch(base, { signal: AbortSignal.timeout(patienceMs) }).catch(() => {});
    await answer?.arrayBuffer();
    if (answer) return;
    if (performance.now() > end) throw new Error(`Nobody answers at ${base.href}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGTERM");
  const impatient = setTimeout(() => child.kill("SIGKILL"), patienceMs);
  await ended;
  clearTimeout(impatient);
};
