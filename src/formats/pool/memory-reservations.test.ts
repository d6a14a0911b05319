import { describe, expect, it } from "vitest";
import { MemoryReservations } from "./memory-reservations.ts";

/** MemoryReservations of 100 bytes, and a clock long after any start. */
const reservationsOf = () => {
  let time = 0;
  return new MemoryReservations(100, () => {
    time += 10_000;
    return time;
  });
};

describe("memory reservations", () => {
  it("are granted at once while they fit", () => {
    const reservations = reservationsOf();
    expect(reservations.request({}, 60, () => {}).reservation?.bytes).toBe(60);
    expect(reservations.request({}, 40, () => {}).reservation?.bytes).toBe(40);
    expect(reservations.request({}, 1, () => {}).reservation).toBeUndefined();
    expect(reservations.reserved).toBe(100);
  });

  it("are granted in order, so that small requests do not starve a large one", () => {
    const reservations = reservationsOf();
    const first = reservations.request({}, 60, () => {}).reservation;
    const told: string[] = [];
    const large = reservations.request({}, 80, () => told.push("large"));
    const small = reservations.request({}, 10, () => told.push("small"));
    expect([large.reservation, small.reservation]).toEqual([undefined, undefined]);
    first?.release();
    expect(told).toEqual(["large", "small"]);
    expect(reservations.reserved).toBe(90);
  });

  it("evict the longest idle holders first, and no more than needed", () => {
    const reservations = reservationsOf();
    const left: string[] = [];
    const [one, two, three] = [30, 30, 40].map(
      (bytes) => reservations.request({}, bytes, () => {}).reservation,
    );
    two?.idle(() => left.push("two"));
    one?.idle(() => left.push("one"));
    three?.idle(() => left.push("three"));
    one?.busy();
    const pending = reservations.request({}, 30, () => {});
    expect(left).toEqual(["two"]);
    expect(pending.reservation).toBeUndefined();
    two?.release();
    expect(pending.reservation?.bytes).toBe(30);
    expect(reservations.reserved).toBe(100);
  });

  it("collect evicted memory for the first request and grant nothing else meanwhile", () => {
    const reservations = reservationsOf();
    const [one, two] = [50, 50].map(
      (bytes) => reservations.request({}, bytes, () => {}).reservation,
    );
    const all = reservations.request({}, 100, () => {});
    one?.idle(() => one.release());
    const other = reservations.request({}, 10, () => {});
    expect([all.reservation, other.reservation]).toEqual([undefined, undefined]);
    two?.idle(() => two.release());
    expect(all.reservation?.bytes).toBe(100);
    expect(other.reservation).toBeUndefined();
  });

  it("do not evict idle holders of the same owner", () => {
    const reservations = reservationsOf();
    const owner = {};
    const one = reservations.request(owner, 100, () => {}).reservation;
    const more = reservations.request(owner, 10, () => {});
    let hasLeft = false;
    const leave = (): void => {
      hasLeft = true;
      one?.release();
    };
    one?.idle(leave);
    expect(hasLeft).toBe(false);
    more.cancel();
    expect(reservations.request({}, 10, () => {}).reservation).toBeDefined();
    expect(hasLeft).toBe(true);
  });

  it("are limited to the total memory", () => {
    const reservations = reservationsOf();
    expect(reservations.request({}, 1_000, () => {}).reservation?.bytes).toBe(100);
  });

  it("are released when a request is cancelled", () => {
    const reservations = reservationsOf();
    const first = reservations.request({}, 100, () => {}).reservation;
    const gone = reservations.request({}, 50, () => {});
    const next = reservations.request({}, 60, () => {});
    gone.cancel();
    first?.release();
    expect(next.reservation?.bytes).toBe(60);
    next.cancel();
    expect(reservations.reserved).toBe(0);
  });

  it("do not evict a holder that has just started", async () => {
    const reservations = new MemoryReservations(100);
    const one = reservations.request({}, 100, () => {}).reservation;
    let hasLeft = false;
    one?.idle(() => {
      hasLeft = true;
      one.release();
    });
    const pending = await new Promise<ReturnType<MemoryReservations["request"]>>((resolve) => {
      const made = reservations.request({}, 100, () => resolve(made));
      expect(hasLeft).toBe(false);
    });
    expect(pending.reservation?.bytes).toBe(100);
  });
});
