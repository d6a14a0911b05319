import { setMaxListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { SingleFlight } from "./singleflight.ts";

const never = new AbortController().signal;
setMaxListeners(0, never);

/** Work that ends when told to, and reports whether it was aborted. */
const controlled = () => {
  let finish: (value: string) => void = () => {};
  let fail: (error: Error) => void = () => {};
  let runs = 0;
  let aborted = false;
  const work = (signal: AbortSignal): Promise<string> => {
    runs++;
    signal.addEventListener("abort", () => {
      aborted = true;
    });
    return new Promise((resolve, reject) => {
      finish = resolve;
      fail = reject;
    });
  };
  return {
    work,
    finish: (value: string) => finish(value),
    fail: (error: Error) => fail(error),
    runs: () => runs,
    aborted: () => aborted,
  };
};

describe("a single flight", () => {
  it("does the same work once for concurrent callers", async () => {
    const flights = new SingleFlight<string>();
    const { work, finish, runs } = controlled();
    const askers = Array.from({ length: 1_000 }, () => flights.run("tile", never, work));
    finish("picture");
    expect(new Set(await Promise.all(askers))).toEqual(new Set(["picture"]));
    expect(runs()).toBe(1);
    expect(flights.size).toBe(0);
  });

  it("runs again for later callers", async () => {
    const flights = new SingleFlight<string>();
    expect(await flights.run("tile", never, async () => "one")).toBe("one");
    expect(await flights.run("tile", never, async () => "two")).toBe("two");
  });

  it("continues while one caller waits, and is aborted when the last has left", async () => {
    const flights = new SingleFlight<string>();
    const { work, aborted } = controlled();
    const first = new AbortController();
    const second = new AbortController();
    const one = flights.run("tile", first.signal, work);
    const two = flights.run("tile", second.signal, work);
    first.abort(new Error("left"));
    await expect(one).rejects.toThrow("left");
    expect(aborted()).toBe(false);
    second.abort(new Error("left too"));
    await expect(two).rejects.toThrow("left too");
    expect(aborted()).toBe(true);
    expect(flights.size).toBe(0);
  });

  it("starts again rather than joining an aborted run", async () => {
    const flights = new SingleFlight<string>();
    const leaving = new AbortController();
    const { work } = controlled();
    const gone = flights.run("tile", leaving.signal, work);
    leaving.abort(new Error("left"));
    await expect(gone).rejects.toThrow("left");
    expect(await flights.run("tile", never, async () => "fresh")).toBe("fresh");
  });

  it("shares an error without caching it", async () => {
    const flights = new SingleFlight<string>();
    const { work, fail } = controlled();
    const askers = [flights.run("tile", never, work), flights.run("tile", never, work)];
    fail(new Error("damaged"));
    for (const asker of askers) await expect(asker).rejects.toThrow("damaged");
    expect(await flights.run("tile", never, async () => "mended")).toBe("mended");
  });
});
