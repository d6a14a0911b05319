import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { loadSystemCalls } from "../../src/core/system-calls.ts";
import { drawPictures, large, tile } from "./pictures.ts";
import { ask, haveServed, isThere, type ServerProcess, startProcess, until } from "./server.ts";

let server: ServerProcess | undefined;

afterEach(async () => {
  await server?.remove();
  server = undefined;
});

const start = async (settings: Readonly<Record<string, string | number>> = {}) => {
  server = await startProcess(drawPictures, { "http.workers": 2, ...settings });
  return server;
};

const statuses = async (base: string, count: number): Promise<readonly number[]> => {
  const replies: number[] = [];
  for (let n = 0; n < count; n++) replies.push((await ask(base, tile(n))).status);
  return replies;
};

const kill = (pid: number | undefined, signal: NodeJS.Signals): void => {
  if (pid !== undefined) process.kill(pid, signal);
};

vi.setConfig({ testTimeout: 60_000 });

describe("the supervisor", () => {
  it("replaces a worker that was killed or hangs, and requests continue", async () => {
    const running = await start({ "http.worker_timeout": 2 });
    const { base, workers, said } = running;
    await haveServed(running, 2);
    const [first] = workers();
    kill(first, "SIGKILL");
    await until(() => !workers().includes(first ?? 0));
    expect(await statuses(base, 8)).toEqual(new Array(8).fill(200));
    await haveServed(running, 3);

    const [hung] = workers();
    kill(hung, "SIGSTOP");
    await until(() => !workers().includes(hung ?? 0));
    expect(said()).toContain("is unresponsive");
    await haveServed(running, 4);
    expect(await statuses(base, 8)).toEqual(new Array(8).fill(200));
  });

  it("moves persistent connections to a worker that was replaced", async () => {
    const running = await start();
    const { base, workers } = running;
    await haveServed(running, 2);
    kill(workers()[1], "SIGKILL");
    await until(() => workers().length === 1);
    let isOver = false;
    let released = 0;
    const { hostname, port } = new URL(base);
    const client = async (): Promise<void> => {
      let socket: Socket | undefined;
      while (!isOver) {
        socket ??= connect(Number(port), hostname);
        socket.write(`GET /livez HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
        const [chunk] = (await once(socket, "data")) as [Buffer];
        expect(chunk.toString("latin1")).toMatch(/^HTTP\/1\.1 200 /);
        if (/^connection: close/im.test(chunk.toString("latin1"))) {
          released++;
          socket.destroy();
          socket = undefined;
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      socket?.destroy();
    };
    const clients = Array.from({ length: 8 }, client);
    await haveServed(running, 3);
    await until(() => released >= 4);
    // A few may return to the same worker while the other one is taking a connection.
    let before = 0;
    while (released > before) {
      before = released;
      // Longer than until the counts are compared again.
      await new Promise((resolve) => setTimeout(resolve, 2_500));
    }
    isOver = true;
    await Promise.all(clients);
    expect(released).toBeLessThanOrEqual(12);
  });

  it("gives all workers the same memory for decoded blocks", async ({ skip }) => {
    if (loadSystemCalls() === undefined) skip("koffi is not installed: workers share no memory.");
    const running = await start();
    await haveServed(running, 2);
    const mapped = running
      .workers()
      .map((pid) => /(\d+) +\/memfd:vitrine/.exec(readFileSync(`/proc/${pid}/maps`, "utf8"))?.[1]);
    expect(mapped).toEqual([expect.stringMatching(/^[1-9]/), mapped[0]]);
  });

  it("continues with the others under a broken configuration, and with all once it is corrected", async () => {
    const running = await start();
    const { base, configuration, workers, said } = running;
    await haveServed(running, 2);
    const sound = await readFile(configuration, "utf8");
    await writeFile(configuration, `${sound}https.enabled = true\n`);
    const [first] = workers();
    kill(first, "SIGKILL");
    await until(() => /A worker ended and is being replaced.* code=2/.test(said()));
    expect(await statuses(base, 4)).toEqual(new Array(4).fill(200));
    await writeFile(configuration, sound);
    await haveServed(running, 3);
    expect(await statuses(base, 4)).toEqual(new Array(4).fill(200));
  });

  it("ends its workers when it is killed", async () => {
    const running = await start();
    const { workers, signal, ended } = running;
    await haveServed(running, 2);
    const pids = workers();
    signal("SIGKILL");
    expect(await ended).toBe("SIGKILL");
    await until(() => !pids.some(isThere));
  });

  it("reports once why no worker can start, and exits with code 2", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const address = taken.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const { ended, said } = await start({ "http.port": port });
    expect(await ended).toBe(2);
    expect(said().match(/Cannot listen/g)).toHaveLength(1);
    taken.close();
  });
});

describe("SIGTERM", () => {
  it("lets requests in flight finish and exits with code 0", async () => {
    const { base, signal, ended, said } = await start({ "http.drain_timeout": 30 });
    const drawing = ask(base, large(0));
    await until(async () => (await ask(base, "/health")).status === 200);
    signal("SIGTERM");
    await until(() => said().includes("Stopping"));
    const reply = await drawing;
    expect(reply.status).toBe(200);
    expect(await ended).toBe(0);
    await expect(ask(base, tile(1))).rejects.toThrow();
  });

  it("responds with 503 to unfinished requests in time, and exits with code 0", async () => {
    const { base, signal, ended } = await start({
      "http.workers": 1,
      "http.drain_timeout": 0,
      "processor.max_running_large": 1,
    });
    const drawing = [0, 1, 2, 3].map((n) => ask(base, large(n)));
    await until(async () => (await ask(base, "/health")).status === 200);
    signal("SIGTERM");
    const replies = await Promise.all(drawing);
    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, headers } of refused) {
      expect(status).toBe(503);
      expect(headers.connection).toBe("close");
      expect(headers["retry-after"]).toBeDefined();
    }
    expect(await ended).toBe(0);
  });

  it("ends at once the second time", async () => {
    const running = await start({
      "http.workers": 1,
      "http.drain_timeout": 600,
      "http.worker_timeout": 600,
    });
    const { workers, signal, ended, said } = running;
    await haveServed(running, 1);
    const pids = workers();
    // It would take forever to drain.
    for (const pid of pids) kill(pid, "SIGSTOP");
    signal("SIGTERM");
    await until(() => said().includes("Stopping"));
    signal("SIGTERM");
    expect(await ended).toBe(1);
    for (const pid of pids) kill(pid, "SIGCONT");
    expect(pids).toHaveLength(1);
    await until(() => !pids.some(isThere));
  });
});
