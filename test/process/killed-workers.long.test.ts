import { afterEach, expect, it, vi } from "vitest";
import { amount } from "../amount.ts";
import { drawPictures, tile } from "./pictures.ts";
import {
  ask,
  haveServed,
  lastingAgent,
  type ServerProcess,
  startProcess,
  until,
} from "./server.ts";

let server: ServerProcess | undefined;

afterEach(async () => {
  await server?.remove();
  server = undefined;
});

vi.setConfig({ testTimeout: 120_000 });

const clients = 24;

/** How often a worker is killed. */
const max = amount(6);

/**
 * The path of an image that is decoded whole, in a thread; different numbers make different images.
 */
const whole = (number: number): string => `/iiif/3/large.png/full/${300 + number},/0/default.jpg`;

/** Keeps sending requests from so many clients on persistent connections until told to stop. */
const load = (base: string) => {
  const agent = lastingAgent();
  const statuses: { readonly status: number; readonly at: number }[] = [];
  let lost = 0;
  let next = 0;
  let isOver = false;
  const client = async (paths: (n: number) => string): Promise<void> => {
    while (!isOver)
      await ask(base, paths(next++), { agent }).then(
        ({ status }) => statuses.push({ status, at: performance.now() }),
        () => lost++,
      );
  };
  const all = Promise.all(
    Array.from({ length: clients }, (_, n) =>
      client(n % 2 === 0 ? (at) => whole(at % 500) : (at) => tile(at % 35)),
    ),
  );
  return {
    statuses,
    lost: () => lost,
    async end() {
      isOver = true;
      await all;
      agent.destroy();
    },
  };
};

it("a worker killed under load causes no quarantine of a healthy image, and no request hangs", async () => {
  const running = await startProcess(drawPictures, {
    "http.workers": 2,
    // A single worker may be overloaded, which is allowed here.
    "processor.max_wait": 600,
    "http.request_timeout": 600,
  });
  server = running;
  await haveServed(running, 2);
  const { statuses, lost, end } = load(running.base);
  await until(() => statuses.length > 100);
  for (let kills = 0; kills < max; kills++) {
    const [worker = 0] = running.workers();
    process.kill(worker, "SIGKILL");
    await haveServed(running, 3 + kills);
    expect(lost()).toBeLessThanOrEqual((kills + 1) * clients);
    const before = statuses.length;
    await until(() => statuses.length > before + 50);
  }
  await end();
  expect(statuses.filter(({ status }) => status !== 200)).toEqual([]);
  for (const path of [whole(0), whole(499), tile(0)])
    expect((await ask(running.base, path)).status).toBe(200);
});

it("clients that connect while the only worker is replaced wait for the next one", async () => {
  server = await startProcess(drawPictures, { "http.workers": 1 });
  const [worker = 0] = server.workers();
  process.kill(worker, "SIGKILL");
  const replies = await Promise.all([1, 2, 3].map((n) => ask(server?.base ?? "", tile(n))));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
});
