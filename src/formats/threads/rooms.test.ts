import { describe, expect, it } from "vitest";
import { Rooms } from "./rooms.ts";

/** Rooms of 100 bytes, and a clock that stands long after any beginning. */
const roomsOf = () => {
  let time = 0;
  return new Rooms(100, () => {
    time += 10_000;
    return time;
  });
};

describe("rooms", () => {
  it("are there at once while they fit", () => {
    const rooms = roomsOf();
    expect(rooms.wish({}, 60, () => {}).room?.bytes).toBe(60);
    expect(rooms.wish({}, 40, () => {}).room?.bytes).toBe(40);
    expect(rooms.wish({}, 1, () => {}).room).toBeUndefined();
    expect(rooms.taken).toBe(100);
  });

  it("are waited for in turn, so that a small one does not keep a large one waiting", () => {
    const rooms = roomsOf();
    const first = rooms.wish({}, 60, () => {}).room;
    const told: string[] = [];
    const large = rooms.wish({}, 80, () => told.push("large"));
    const small = rooms.wish({}, 10, () => told.push("small"));
    expect([large.room, small.room]).toEqual([undefined, undefined]);
    first?.free();
    expect(told).toEqual(["large", "small"]);
    expect(rooms.taken).toBe(90);
  });

  it("are left by those who rest, the longest first, as far as that is needed", () => {
    const rooms = roomsOf();
    const left: string[] = [];
    const [one, two, three] = [30, 30, 40].map((bytes) => rooms.wish({}, bytes, () => {}).room);
    two?.rest(() => left.push("two"));
    one?.rest(() => left.push("one"));
    three?.rest(() => left.push("three"));
    one?.work();
    const wish = rooms.wish({}, 30, () => {});
    expect(left).toEqual(["two"]);
    expect(wish.room).toBeUndefined();
    two?.free();
    expect(wish.room?.bytes).toBe(30);
    expect(rooms.taken).toBe(100);
  });

  it("are left bit by bit, and nobody else gets them meanwhile", () => {
    const rooms = roomsOf();
    const [one, two] = [50, 50].map((bytes) => rooms.wish({}, bytes, () => {}).room);
    const all = rooms.wish({}, 100, () => {});
    one?.rest(() => one.free());
    const other = rooms.wish({}, 10, () => {});
    expect([all.room, other.room]).toEqual([undefined, undefined]);
    two?.rest(() => two.free());
    expect(all.room?.bytes).toBe(100);
    expect(other.room).toBeUndefined();
  });

  it("are not left for the same owner, whose work they can do", () => {
    const rooms = roomsOf();
    const owner = {};
    const one = rooms.wish(owner, 100, () => {}).room;
    const more = rooms.wish(owner, 10, () => {});
    let hasLeft = false;
    const leave = (): void => {
      hasLeft = true;
      one?.free();
    };
    one?.rest(leave);
    expect(hasLeft).toBe(false);
    more.cancel();
    expect(rooms.wish({}, 10, () => {}).room).toBeDefined();
    expect(hasLeft).toBe(true);
  });

  it("are no larger than all there is", () => {
    const rooms = roomsOf();
    expect(rooms.wish({}, 1_000, () => {}).room?.bytes).toBe(100);
  });

  it("are given back by who no longer wants one", () => {
    const rooms = roomsOf();
    const first = rooms.wish({}, 100, () => {}).room;
    const gone = rooms.wish({}, 50, () => {});
    const next = rooms.wish({}, 60, () => {});
    gone.cancel();
    first?.free();
    expect(next.room?.bytes).toBe(60);
    next.cancel();
    expect(rooms.taken).toBe(0);
  });

  it("are not left by what has only just begun", async () => {
    const rooms = new Rooms(100);
    const one = rooms.wish({}, 100, () => {}).room;
    let hasLeft = false;
    one?.rest(() => {
      hasLeft = true;
      one.free();
    });
    const wish = await new Promise<ReturnType<Rooms["wish"]>>((resolve) => {
      const made = rooms.wish({}, 100, () => resolve(made));
      expect(hasLeft).toBe(false);
    });
    expect(wish.room?.bytes).toBe(100);
  });
});
