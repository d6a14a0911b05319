import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** A server in a process of its own. */
export interface RunningServer {
  /** With a slash at its end. */
  readonly base: string;
  stop(): Promise<void>;
}

/** Milliseconds until a server that does not report its address counts as failed. */
const patience = 30_000;

/** Runs the built `vitrine serve`, on a free port, without a configuration unless given a file. */
export const startServer = async (configuration?: string): Promise<RunningServer> => {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const serve = ["serve", ...(configuration === undefined ? [] : ["--config", configuration])];
  const server = spawn(process.execPath, ["dist/cli/main.js", ...serve], {
    cwd: root,
    env: { ...process.env, HTTP_PORT: "0", NODE_OPTIONS: "" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<void>((resolve) => server.on("exit", () => resolve()));
  const stop = async (): Promise<void> => {
    server.kill("SIGTERM");
    await ended;
  };
  let said = "";
  const base = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`The server said no address in time, but: ${said}`)),
      patience,
    );
    const settle = (): void => clearTimeout(late);
    server.stderr.on("data", (chunk: Buffer) => {
      said += chunk;
      const [address] = /http:\/\/\S+/.exec(said) ?? [];
      // A chunk may end within the address.
      if (address === undefined || !said.includes(`${address}\n`)) return;
      settle();
      resolve(address.replace(/\/?$/, "/"));
    });
    void ended.then(() => {
      settle();
      reject(new Error(`The server ended: ${said}`));
    });
  }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { base, stop };
};
