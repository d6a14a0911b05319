import { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Environment } from "../config/environment.ts";
import { silent } from "../core/log.ts";
import type { FromSupervisor, FromWorker } from "./messages.ts";
import { supervise } from "./supervise.ts";
import type { Ports, Supervision } from "./supervision.ts";
import type { WorkerEvents } from "./worker-process.ts";
import { workerNumberVariable } from "./worker-variables.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** A fake worker: what it is told, and what it reports. */
interface Fake {
  readonly number: number;
  readonly events: WorkerEvents;
  readonly heard: FromSupervisor[];
  readonly handed: number[];
  readonly killed: string[];
  says(message: FromWorker): void;
  ends(code: number | null, signal?: NodeJS.Signals): void;
}

/** A supervisor of fake workers, with a clock that follows the timers and may run ahead of them. */
const setUp = (changes: Partial<Supervision> = {}) => {
  const clock = { ahead: 0 };
  const fakes: Fake[] = [];
  const said: string[] = [];
  const ports = { opened: 0, closed: 0 };
  let arrived: Parameters<Supervision["open"]>[0] = () => {};
  const stop = new AbortController();
  const note = (message: string): void => void said.push(message);
  const start = (variables: Environment, events: WorkerEvents) => {
    const heard: FromSupervisor[] = [];
    const killed: string[] = [];
    const handed: number[] = [];
    fakes.push({
      number: Number(variables[workerNumberVariable]),
      events,
      heard,
      handed,
      killed,
      says: events.heard,
      ends(code, signal) {
        events.ended(code, signal ?? null);
        events.parted();
      },
    });
    return {
      pid: fakes.length,
      tell: (message: FromSupervisor) => heard.push(message) > 0,
      hand: (_: Socket, { id }: { readonly id: number }) => void handed.push(id),
      kill: (signal: NodeJS.Signals) => void killed.push(signal),
    };
  };
  const outcome = supervise({
    workers: 2,
    start,
    env: {},
    settings: () => ({ workerTimeout: 30, drainTimeout: 30, closing: 0 }),
    log: { ...silent, info: note, warn: note, error: note },
    signal: stop.signal,
    async open(take): Promise<Ports> {
      arrived = take;
      ports.opened++;
      return { addresses: ["http://127.0.0.1:1/"], close: () => ports.closed++ };
    },
    maxWaiting: 10,
    serving: () => {},
    told: () => {},
    relations: { came: () => {}, serves: () => {}, gone: () => {} },
    now: () => performance.now() + clock.ahead,
    ...changes,
  });
  const fake = (index: number): Fake => {
    const found = fakes[index];
    if (found === undefined) throw new Error(`Worker ${index} was not started`);
    return found;
  };
  return {
    clock,
    fakes,
    fake,
    said,
    ports,
    outcome,
    stop: () => stop.abort(),
    arrive: () => arrived(new Socket(), "http"),
    /** Both workers serve. */
    async serve() {
      fake(0).says({ kind: "ready" });
      await vi.advanceTimersByTimeAsync(0);
      fake(1).says({ kind: "ready" });
    },
    /** Lets time pass with heartbeats of all workers but the silent ones. */
    async live(ms: number, { silent: quiet = [] }: { readonly silent?: readonly Fake[] } = {}) {
      for (let gone = 0; gone < ms; gone += 500) {
        for (const one of fakes) if (!quiet.includes(one)) one.says({ kind: "alive", open: 0 });
        await vi.advanceTimersByTimeAsync(500);
      }
    },
  };
};

describe("the supervisor", () => {
  it("starts one worker, opens the ports when it serves, and then starts the others", async () => {
    const { fakes, fake, ports } = setUp();
    expect(fakes).toHaveLength(1);
    fake(0).says({ kind: "alive", open: 0 });
    expect(ports.opened).toBe(0);
    fake(0).says({ kind: "ready" });
    await vi.advanceTimersByTimeAsync(0);
    expect([ports.opened, fakes.length]).toEqual([1, 2]);
    expect(fakes.map(({ number }) => number)).toEqual([1, 2]);
  });

  it("exits with code 2 if the first worker rejects the settings", async () => {
    const { fake, fakes, outcome, ports } = setUp();
    fake(0).ends(2);
    expect(await outcome).toBe(2);
    expect([fakes.length, ports.opened]).toEqual([1, 0]);
  });

  it("continues with the others if a replacement rejects the settings", async () => {
    const { fake, fakes, serve, live, outcome, ports, stop } = setUp();
    await serve();
    fake(0).ends(null, "SIGKILL");
    for (let tries = 2; tries < 12; tries++) {
      await live(31_000, { silent: [fake(0)] });
      expect(fakes).toHaveLength(tries + 1);
      fake(tries).ends(2);
    }
    expect(ports.closed).toBe(0);
    expect(fake(1).heard.filter(({ kind }) => kind === "stop")).toEqual([]);
    // Once the settings are valid again, everything recovers.
    await live(31_000);
    fakes.at(-1)?.says({ kind: "ready" });
    stop();
    fake(1).ends(0);
    fakes.at(-1)?.ends(0);
    expect(await outcome).toBe(0);
  });

  it("keeps the ports when the only worker dies, and queues connections for the next", async () => {
    const { fake, fakes, arrive, ports, live } = setUp({ workers: 1 });
    fake(0).says({ kind: "ready" });
    await vi.advanceTimersByTimeAsync(0);
    fake(0).ends(null, "SIGKILL");
    arrive();
    await vi.advanceTimersByTimeAsync(500);
    expect([fakes.length, ports.opened, ports.closed]).toEqual([2, 1, 0]);
    await live(1_000);
    fake(1).says({ kind: "ready" });
    expect(fake(1).handed).toHaveLength(1);
  });

  it("rejects with the reason why the ports cannot be opened, once the worker has ended", async () => {
    const open = () => Promise.reject(new Error("the port is taken"));
    const { fake, fakes, outcome } = setUp({ open });
    const failure = outcome.catch((error: Error) => error.message);
    fake(0).says({ kind: "ready" });
    await vi.advanceTimersByTimeAsync(0);
    expect(fake(0).heard).toEqual([{ kind: "stop" }]);
    fake(0).ends(0);
    expect(await failure).toBe("the port is taken");
    expect(fakes).toHaveLength(1);
  });
});

describe("a worker", () => {
  it("that gives no sign of life is killed, as if it had crashed", async () => {
    const { fake, serve, live, said } = setUp();
    await serve();
    await live(29_000, { silent: [fake(0)] });
    expect(fake(0).killed).toEqual([]);
    await live(2_000, { silent: [fake(0)] });
    expect([fake(0).killed, fake(1).killed]).toEqual([["SIGKILL"], []]);
    expect(said.filter((one) => one.includes("is unresponsive"))).toHaveLength(1);
  });

  it("is not killed for the time in which the machine slept", async () => {
    const { clock, fake, serve, live } = setUp();
    await serve();
    await live(1_000);
    clock.ahead += 3_600_000;
    await live(1_000, { silent: [fake(0), fake(1)] });
    expect([fake(0).killed, fake(1).killed]).toEqual([[], []]);
    // From then on it counts again.
    await live(31_000, { silent: [fake(0)] });
    expect([fake(0).killed, fake(1).killed]).toEqual([["SIGKILL"], []]);
  });

  it("that a connection does not reach is ended, and another one gets the connection", async () => {
    const { fake, serve, arrive, live, said } = setUp();
    await serve();
    arrive();
    const [deaf, other] = fake(0).handed.length > 0 ? [fake(0), fake(1)] : [fake(1), fake(0)];
    const [id = 0] = deaf.handed;
    await live(2_000);
    expect(deaf.heard).toEqual([{ kind: "asked", id }]);
    expect(other.handed).toEqual([]);
    deaf.says({ kind: "missed", id });
    expect(other.handed).toHaveLength(1);
    expect(deaf.heard.at(-1)).toEqual({ kind: "stop" });
    expect(said.some((one) => one.includes("no file descriptor left"))).toBe(true);
    await live(6_000);
    expect(deaf.killed).toEqual(["SIGKILL"]);
  });

  it("that has died leaves connections it has not taken to another one, after its last messages", async () => {
    const { fake, serve, arrive } = setUp();
    await serve();
    arrive();
    arrive();
    const [one, two] = [fake(0), fake(1)];
    const [id = 0] = one.handed;
    two.says({ kind: "taken", id: two.handed[0] ?? 0, open: 1 });
    one.events.ended(null, "SIGKILL");
    expect(two.handed).toHaveLength(1);
    one.events.parted();
    expect(two.handed).toHaveLength(2);
    expect(two.handed[1]).toBeGreaterThan(id);
  });

  it("that has died keeps a connection that its last messages confirm", async () => {
    const { fake, serve, arrive } = setUp();
    await serve();
    arrive();
    fake(0).events.ended(null, "SIGKILL");
    fake(0).says({ kind: "taken", id: fake(0).handed[0] ?? 0, open: 1 });
    fake(0).events.parted();
    expect(fake(1).handed).toEqual([]);
  });
});
