import { describe, expect, it, vi } from "vitest";
import type { RangeReader, ReadSync } from "./range-reader.ts";
import {
  advance,
  complete,
  drop,
  finish,
  finishReads,
  type Pending,
  read,
  readOne,
  type Steps,
  work,
  yieldToEventLoop,
} from "./steps.ts";

const object = Uint8Array.from({ length: 1_000 }, (_, index) => index % 251);
const part = (offset: number, length: number): Uint8Array => object.slice(offset, offset + length);
const near: ReadSync = part;
const { signal } = new AbortController();

const readerOf = (
  readBytes: RangeReader["read"] = async (offset, length) => part(offset, length),
) => {
  const spy = vi.fn(readBytes);
  const reader: RangeReader = {
    size: object.length,
    read: spy,
    stream: () => {
      throw new Error("is not streamed");
    },
    close: async () => {},
  };
  return { reader, read: spy };
};

const pendingOf = <T>(state: ReturnType<typeof advance<T>>): Pending<T> => {
  if (state.isDone) throw new Error("Expected work that is not done yet");
  return state;
};

/** Reads an offset, then the value there, then has it summed. */
function* sum(
  here?: (bytes: readonly Uint8Array[]) => number | undefined,
  away: (bytes: readonly Uint8Array[]) => Promise<number> = async (all) => added(all),
): Steps<number> {
  const at = (yield* readOne({ offset: 3, length: 1 }))[0] ?? 0;
  const bytes = yield* read([
    { offset: at, length: 2 },
    { offset: at + 100, length: 2 },
  ]);
  return yield* work({
    ...(here && { here: () => here(bytes) }),
    away: () => away(bytes),
  });
}
const added = (all: readonly Uint8Array[]): number =>
  all.flatMap((bytes) => [...bytes]).reduce((one, other) => one + other, 0);
const total = 3 + 4 + 103 + 104;

describe("advance", () => {
  it("completes where nothing has to be waited for", () => {
    expect(advance(sum(added), near)).toEqual({ isDone: true, value: total });
  });

  it("stops at the first read where nothing is in memory", () => {
    const state = pendingOf(advance(sum(added)));
    expect(state.effect).toMatchObject({ kind: "read", ranges: [{ offset: 3, length: 1 }] });
  });

  it("stops at a job that declines or must run elsewhere", () => {
    expect(
      pendingOf(
        advance(
          sum(() => undefined),
          near,
        ),
      ).effect.kind,
    ).toBe("work");
    expect(pendingOf(advance(sum(), near)).effect.kind).toBe("work");
  });

  it("stops where the event loop is due", async () => {
    const state = pendingOf(advance(yieldToEventLoop(), near));
    await finish(state, readerOf().reader, signal);
  });

  it("leaves work that exceeds a turn of the event loop to callers that may wait", () => {
    const some: ReadSync = (_, length) => new Uint8Array(length);
    const large = { offset: 0, length: 600_000 };
    function* both(): Steps<number> {
      return (yield* readOne(large)).length + (yield* readOne(large)).length;
    }
    expect(pendingOf(advance(both(), some)).effect).toMatchObject({ ranges: [large] });
    expect(advance(readOne(large), some).isDone).toBe(true);
  });

  it("uses temporary memory for a single range only", () => {
    const room = vi.fn(() => new Uint8Array(2));
    const wanted = { offset: 5, length: 2, room };
    advance(readOne(wanted), (_, __, into) => into);
    expect(room).toHaveBeenCalledTimes(1);
    advance(read([wanted, { offset: 9, length: 2 }]), near);
    expect(room).toHaveBeenCalledTimes(1);
  });

  it("throws failures of jobs into the work, which may continue", () => {
    const caught = (function* (): Steps<string> {
      try {
        yield* work({
          here: () => {
            throw new Error("damaged");
          },
          away: async () => 1,
        });
        return "done";
      } catch (error) {
        return (error as Error).message;
      }
    })();
    expect(advance(caught, near)).toEqual({ isDone: true, value: "damaged" });
  });

  it("throws what the work throws", () => {
    const failing = (function* (): Steps<void> {
      yield* readOne({ offset: 0, length: 1 });
      throw new Error("is no such file");
    })();
    expect(() => advance(failing, near)).toThrow("is no such file");
  });
});

describe("finish", () => {
  it("continues from any point, and repeats nothing", async () => {
    for (let left = 0; left <= 2; left++) {
      let allowed = left;
      const some: ReadSync = (offset, length) => (allowed-- > 0 ? part(offset, length) : undefined);
      const { reader, read } = readerOf();
      const state = pendingOf(advance(sum(added), some));
      expect(await finish(state, reader, signal)).toBe(total);
      // Bytes that were available are not read again, and neighbouring ranges are read together.
      expect(read.mock.calls.map(([offset, length]) => [offset, length])).toEqual(
        [
          [
            [3, 1],
            [3, 102],
          ],
          [[3, 102]],
          [[103, 2]],
        ][left],
      );
    }
  });

  it("passes all ranges of an effect to a reader at once", async () => {
    const { reader } = readerOf();
    const readMany = vi.fn(async (ranges: readonly { offset: number; length: number }[]) =>
      ranges.map(({ offset, length }) => part(offset, length)),
    );
    expect(await complete(sum(), { ...reader, readMany }, signal)).toBe(total);
    expect(readMany).toHaveBeenCalledTimes(1);
    expect(readMany.mock.calls[0]?.[0]).toMatchObject([
      { offset: 3, length: 2 },
      { offset: 103, length: 2 },
    ]);
  });

  it("runs jobs elsewhere, with the reader and the signal", async () => {
    const { reader } = readerOf();
    const away = vi.fn(async () => "result");
    const here = vi.fn(() => "here");
    expect(await complete(work({ here, away }), reader, signal)).toBe("result");
    expect(away).toHaveBeenCalledWith(signal, reader);
    expect(here).not.toHaveBeenCalled();
  });

  it("throws failures of reads into the work, which may continue", async () => {
    const { reader } = readerOf(async () => {
      throw new Error("the disk is gone");
    });
    const caught = (function* (): Steps<string> {
      try {
        yield* readOne({ offset: 0, length: 1 });
        return "read";
      } catch (error) {
        return (error as Error).message;
      }
    })();
    expect(await complete(caught, reader, signal)).toBe("the disk is gone");
    await expect(complete(sum(), reader, signal)).rejects.toThrow("the disk is gone");
  });

  it("ends with the signal, whose reason runs the work's finally blocks", async () => {
    const leaving = new AbortController();
    let isFinal = false;
    const { reader, read } = readerOf(async (offset, length) => {
      leaving.abort(new Error("the client left"));
      return part(offset, length);
    });
    const kept = (function* (): Steps<number> {
      try {
        return yield* sum();
      } finally {
        isFinal = true;
      }
    })();
    await expect(complete(kept, reader, leaving.signal)).rejects.toThrow("the client left");
    expect(isFinal).toBe(true);
    expect(read).toHaveBeenCalledTimes(1);
  });

  it("stops before a job when it may only read", async () => {
    const { reader, read } = readerOf();
    const state = await finishReads(pendingOf(advance(sum(added))), reader, signal);
    expect(pendingOf(state).effect.kind).toBe("work");
    const reads = read.mock.calls.length;
    expect(await finish(pendingOf(state), reader, signal)).toBe(total);
    expect(read).toHaveBeenCalledTimes(reads);
  });
});

describe("drop", () => {
  it("runs finally blocks and ends the work", () => {
    let isFinal = false;
    const kept = (function* (): Steps<number> {
      try {
        return yield* sum();
      } finally {
        isFinal = true;
      }
    })();
    const state = pendingOf(advance(kept));
    drop(state);
    expect(isFinal).toBe(true);
    expect(state.steps.next().done).toBe(true);
  });
});
