import { spawnSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { drawPictures, tile } from "./pictures.ts";
import { ask, haveServed, type ServerProcess, startProcess, until } from "./server.ts";

let server: ServerProcess | undefined;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.remove();
  server = undefined;
});

vi.setConfig({ testTimeout: 120_000 });

const isLimited = spawnSync("prlimit", ["--version"]).status === 0;
const needed = "skipped where the prlimit program is absent";

/** Lets a process open nothing more: its lowest descriptors are in use. */
const exhaust = (pid: number): void => {
  spawnSync("prlimit", ["--pid", String(pid), "--nofile=8:8"]);
};

const openOnes = async (pid: number): Promise<number> => (await readdir(`/proc/${pid}/fd`)).length;

const start = async (
  settings: Readonly<Record<string, string | number>> = {},
  how?: { readonly descriptors: number },
) => {
  server = await startProcess(drawPictures, { "http.workers": 2, ...settings }, how);
  await haveServed(server, 2);
  return server;
};

/** Connects so many clients that send nothing. */
const connectIdle = async (base: string, count: number): Promise<void> => {
  const { port, hostname } = new URL(base);
  for (let n = 0; n < count; n++) {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.resume();
    sockets.push(socket);
    if (n % 50 === 49) await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

describe.skipIf(!isLimited)(`few descriptors (${needed})`, () => {
  it("and more than twice as many idle connections leave nobody unanswered, then or later", async () => {
    const { base, pid, workers } = await start({}, { descriptors: 512 });
    const before = await openOnes(pid);
    await connectIdle(base, 1_200);
    for (let n = 0; n < 5; n++)
      for (const path of ["/livez", tile(n)])
        expect((await ask(base, path, { signal: AbortSignal.timeout(10_000) })).status).toBe(200);
    for (const worker of workers()) expect(await openOnes(worker)).toBeLessThan(400);
    for (const socket of sockets.splice(0)) socket.destroy();
    const signal = AbortSignal.timeout(2_000);
    expect((await ask(base, "/livez", { signal })).status).toBe(200);
    await until(async () => (await openOnes(pid)) <= before);
  });

  it("of one worker have its connections passed to another one, and the worker is replaced", async () => {
    const { base, workers, said } = await start();
    const [worker = 0] = workers();
    exhaust(worker);
    for (let n = 0; n < 8; n++)
      expect((await ask(base, "/livez", { signal: AbortSignal.timeout(15_000) })).status).toBe(200);
    await until(() => !workers().includes(worker));
    expect(said()).toMatch(/no file descriptor left/);
    if (server) await haveServed(server, 3);
    expect((await ask(base, tile(1))).status).toBe(200);
  });
});

it("connections are bounded as configured, all workers together", async () => {
  const { base, said } = await start({ "http.max_connections": 10 });
  await connectIdle(base, 40);
  expect((await ask(base, "/livez")).status).toBe(200);
  await until(() => sockets.filter(({ destroyed }) => !destroyed).length <= 10);
  expect(said()).toMatch(/Too many connections/);
});
