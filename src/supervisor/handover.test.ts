import { describe, expect, it } from "vitest";
import { Handover, type Receiver } from "./handover.ts";

/** A named connection, and whether it is closed here. */
class Connection {
  readonly name: string;
  isClosed = false;

  constructor(name: string) {
    this.name = name;
  }

  destroy(): void {
    this.isClosed = true;
  }
}

/** A handover with a clock of its own, and workers that record what they are sent. */
const setUp = ({ max = 100 }: { readonly max?: number } = {}) => {
  const clock = { now: 0 };
  const closed: string[] = [];
  const handover = new Handover<Connection>({
    max,
    patienceMs: 10_000,
    now: () => clock.now,
    closed: (why) => closed.push(why),
  });
  const arrive = (name: string): Connection => {
    const connection = new Connection(name);
    handover.arrive(connection, "http");
    return connection;
  };
  const join = () => {
    const sent: { readonly name: string; readonly id: number; readonly failed: () => void }[] = [];
    const asked: number[] = [];
    const state = { deaf: 0 };
    const released: number[] = [];
    const place: Receiver = handover.join({
      hand: ({ name }, { id }, failed) => sent.push({ name, id, failed }),
      ask: (id) => asked.push(id),
      release: (connections) => released.push(connections),
      deaf: () => state.deaf++,
    });
    const last = () => sent.at(-1) ?? { name: "none", id: 0, failed: () => {} };
    return {
      place,
      asked,
      released,
      state,
      names: () => sent.map(({ name }) => name),
      last,
      take: (open = 1) => place.taken(last().id, open),
    };
  };
  return { handover, clock, closed, arrive, join };
};

describe("connections", () => {
  it("go to workers in turn, one at a time to each, and wait for the next ready one", () => {
    const { arrive, join } = setUp();
    const [one, two] = [join(), join()];
    for (const name of ["a", "b", "c", "d"]) arrive(name);
    expect([one.names(), two.names()]).toEqual([["a"], ["b"]]);
    two.take();
    expect(two.names()).toEqual(["b", "c"]);
    one.take();
    expect(one.names()).toEqual(["a", "d"]);
  });

  it("stay open here until a worker has taken them", () => {
    const { arrive, join } = setUp();
    const one = join();
    const a = arrive("a");
    expect(a.isClosed).toBe(false);
    one.place.taken(99, 1);
    expect(a.isClosed).toBe(false);
    one.take();
    expect(a.isClosed).toBe(true);
  });

  it("go to the worker with the fewest", () => {
    const { arrive, join } = setUp();
    const [one, two] = [join(), join()];
    one.place.counted(20);
    two.place.counted(3);
    for (let open = 4; open < 9; open++) {
      arrive(`${open}`);
      two.take(open);
    }
    expect(one.names()).toEqual([]);
    expect(two.names()).toHaveLength(5);
    one.place.counted(0);
    arrive("next");
    expect(one.names()).toEqual(["next"]);
  });

  it("are balanced among workers, but not too often", () => {
    const { handover, clock, join } = setUp();
    const one = join();
    one.place.counted(8);
    handover.look();
    const two = join();
    clock.now = 1_500;
    handover.look();
    expect(one.released).toEqual([]);
    clock.now = 2_000;
    handover.look();
    expect([one.released, two.released]).toEqual([[4], []]);
    one.place.counted(5);
    two.place.counted(3);
    clock.now = 4_000;
    handover.look();
    one.place.counted(4);
    two.place.counted(4);
    clock.now = 6_000;
    handover.look();
    clock.now = 8_000;
    handover.look();
    expect([one.released, two.released]).toEqual([[4, 1, 0], []]);
  });

  it("are not balanced with a worker that is leaving", () => {
    const { handover, join } = setUp();
    const [one, two] = [join(), join()];
    one.place.counted(8);
    two.place.leave();
    handover.look();
    expect(one.released).toEqual([]);
  });

  it("wait for the first worker, and are closed if none is ready in time", () => {
    const { handover, clock, closed, arrive, join } = setUp();
    const early = arrive("early");
    clock.now = 9_000;
    const late = arrive("late");
    handover.look();
    expect(early.isClosed).toBe(false);
    clock.now = 11_000;
    handover.look();
    expect([early.isClosed, late.isClosed]).toEqual([true, false]);
    expect(closed).toEqual(["late"]);
    expect(join().names()).toEqual(["late"]);
  });

  it("are closed if too many wait", () => {
    const { closed, arrive } = setUp({ max: 2 });
    const [a, b, c] = ["a", "b", "c"].map(arrive);
    expect([a?.isClosed, b?.isClosed, c?.isClosed]).toEqual([false, false, true]);
    expect(closed).toEqual(["crowded"]);
  });

  it("are all closed once the server ends", () => {
    const { handover, arrive, join } = setUp();
    const one = join();
    const [handed, waiting] = [arrive("handed"), arrive("waiting")];
    handover.close();
    const later = arrive("later");
    expect([waiting.isClosed, later.isClosed]).toEqual([true, true]);
    // It may still be accepted: its worker is told of the end, too.
    expect(handed.isClosed).toBe(false);
    one.place.declined(one.last().id);
    expect(handed.isClosed).toBe(true);
  });
});

describe("a dead worker", () => {
  it("passes connections it has not taken to another one, before those that wait", () => {
    const { arrive, join } = setUp();
    const [one, two] = [join(), join()];
    const a = arrive("a");
    for (const name of ["b", "c"]) arrive(name);
    one.place.leave();
    one.place.gone();
    two.take();
    two.take();
    expect(two.names()).toEqual(["b", "a", "c"]);
    expect(a.isClosed).toBe(true);
  });

  it("passes on none that it has taken", () => {
    const { arrive, join } = setUp();
    const [one, two] = [join(), join()];
    arrive("a");
    one.take();
    one.place.gone();
    expect(two.names()).toEqual([]);
    arrive("b");
    expect(two.names()).toEqual(["b"]);
  });

  it("is sent nothing more once sending has failed", () => {
    const { arrive, join } = setUp();
    const [one, two] = [join(), join()];
    arrive("a");
    one.last().failed();
    arrive("b");
    two.take();
    expect(one.names()).toEqual(["a"]);
    expect(two.names()).toEqual(["a", "b"]);
    // It was alive after all.
    two.take();
    one.place.counted(0);
    arrive("c");
    expect(one.names()).toEqual(["a", "c"]);
  });

  it("does not cause endless retries of a connection that no worker can receive", () => {
    const { arrive, join } = setUp();
    const workers = [join(), join(), join(), join()];
    const a = arrive("a");
    for (const worker of workers.slice(0, 3)) worker.last().failed();
    expect(a.isClosed).toBe(true);
    expect(workers[3]?.names()).toEqual([]);
  });
});

describe("a worker that does not confirm a connection", () => {
  it("is asked once, and keeps the connection as long as it stays silent", () => {
    const { handover, clock, arrive, join } = setUp();
    const [one, two] = [join(), join()];
    const a = arrive("a");
    handover.look();
    expect(one.asked).toEqual([]);
    for (clock.now = 1_000; clock.now < 60_000; clock.now += 1_000) handover.look();
    expect(one.asked).toEqual([one.last().id]);
    expect(a.isClosed).toBe(false);
    expect(two.names()).toEqual([]);
    one.take();
    expect(a.isClosed).toBe(true);
  });

  it("is ended if the connection has not reached it, and another one gets it", () => {
    const { arrive, join } = setUp();
    const [one, two] = [join(), join()];
    arrive("a");
    one.place.missed(99);
    expect(one.state.deaf).toBe(0);
    one.place.missed(one.last().id);
    expect(one.state.deaf).toBe(1);
    expect(two.names()).toEqual(["a"]);
    two.take();
    one.place.counted(0);
    arrive("b");
    expect(one.names()).toEqual(["a"]);
    expect(two.names()).toEqual(["a", "b"]);
  });

  it("may leave it to others, and gets no more once it is ending", () => {
    const { arrive, join } = setUp();
    const [one, two] = [join(), join()];
    arrive("a");
    one.place.leave();
    one.place.declined(one.last().id);
    one.place.counted(0);
    arrive("b");
    two.take();
    expect(one.names()).toEqual(["a"]);
    expect(two.names()).toEqual(["a", "b"]);
  });
});
