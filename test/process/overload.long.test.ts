import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { drawPictures, large, tile } from "./pictures.ts";
import {
  ask,
  haveServed,
  lastingAgent,
  type Reply,
  type ServerProcess,
  startProcess,
  until,
} from "./server.ts";

let server: ServerProcess;

beforeAll(async () => {
  server = await startProcess(drawPictures, {
    "http.workers": 1,
    "processor.max_running_large": 1,
    "processor.max_waiting": 4,
    "processor.max_wait": 60,
  });
  await haveServed(server, 1);
});

afterAll(() => server.remove());

const overloadMs = 6_000;
const tileClients = 32;
const largeClients = 16;

vi.setConfig({ testTimeout: 60_000 });

describe("a tenfold overload", () => {
  it("is met with tiles and quick refusals, and leaves nothing behind", async () => {
    const before = server.workers();
    const agent = lastingAgent();
    const tiles: Reply[] = [];
    const larges: Reply[] = [];
    const began = performance.now();
    const saidBefore = server.said().length;
    const end = began + overloadMs;
    let next = 0;
    const client = async (path: (n: number) => string, replies: Reply[]): Promise<void> => {
      while (performance.now() < end) {
        const reply = await ask(server.base, path(next++), { agent });
        replies.push(reply);
        // A refused client that retries without pausing would only measure itself.
        if (reply.status === 503) await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    await Promise.all([
      ...Array.from({ length: tileClients }, () => client(tile, tiles)),
      ...Array.from({ length: largeClients }, () => client((n) => large(n), larges)),
    ]);
    agent.destroy();

    const refused = [...tiles, ...larges].filter(({ status }) => status === 503);
    expect(new Set([...tiles, ...larges].map(({ status }) => status))).toEqual(new Set([200, 503]));
    expect(refused.length).toBeGreaterThan(50);
    for (const { headers } of refused) {
      expect(Number(headers["retry-after"])).toBeGreaterThanOrEqual(1);
      expect(Number(headers["retry-after"])).toBeLessThanOrEqual(60);
    }
    // The first is logged at once, then their number every five seconds, however long it took.
    const said = server.said().slice(saidBefore);
    const lines = said.match(/refused: too much work is queued/g) ?? [];
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThanOrEqual(2 + (performance.now() - began) / 5_000);
    expect(said).not.toContain("503 Service Unavailable");
    const waits = refused.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
    // Far below the time of one large image: no refusal waits for one. Generous for slow machines.
    expect(waits[Math.floor(waits.length / 2)]).toBeLessThan(1_000);
    const drawn = tiles.filter(({ status }) => status === 200);
    const slow = larges.filter(({ status }) => status === 200);
    expect(slow.length).toBeGreaterThan(0);
    expect(drawn.length).toBeGreaterThan(slow.length * 10);

    const after = await Promise.all([ask(server.base, tile(0)), ask(server.base, "/health")]);
    expect(after.map(({ status }) => status)).toEqual([200, 200]);
    expect((await ask(server.base, large(0))).status).toBe(200);
    expect(server.workers()).toEqual(before);
  });
});

describe("a client that leaves the queue", () => {
  it("makes room for the next", async () => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const statuses: number[] = [];
    // One is rendered, four wait, the others are refused.
    const all = Array.from({ length: 8 }, (_, n) =>
      ask(server.base, large(n), { signal }).then(
        ({ status }) => statuses.push(status),
        () => "left",
      ),
    );
    await until(() => statuses.includes(503));
    leaving.abort();
    await Promise.all(all);
    const next = [11, 12, 13, 14].map((n) => ask(server.base, large(n)));
    expect((await Promise.all(next)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});

describe("the only worker", () => {
  it("is replaced at the same port when it has died", async () => {
    const [worker = 0] = server.workers();
    process.kill(worker, "SIGKILL");
    await haveServed(server, 2);
    expect((await ask(server.base, tile(0))).status).toBe(200);
  });
});
