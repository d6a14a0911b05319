import { describe, expect, it } from "vitest";
import { merged } from "./merged.ts";

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("merged", () => {
  it("yields all that its generators yield, each in its own order, concurrently", async () => {
    let [running, max] = [0, 0];
    const counting = async function* (from: number, count: number): AsyncGenerator<number> {
      for (let n = from; n < from + count; n++) {
        max = Math.max(max, ++running);
        await pause();
        running--;
        yield n;
      }
    };
    const got: number[] = [];
    for await (const n of merged([counting(0, 5), counting(100, 0), counting(200, 9)])) got.push(n);
    expect(got.filter((n) => n < 100)).toEqual([0, 1, 2, 3, 4]);
    expect(got.filter((n) => n >= 200)).toEqual([200, 201, 202, 203, 204, 205, 206, 207, 208]);
    expect(max).toBeGreaterThan(1);
  });

  it("throws the first error, and ends the others, also where the consumer stops", async () => {
    let ended = 0;
    const endless = async function* (): AsyncGenerator<number> {
      try {
        for (;;) {
          await pause();
          yield 1;
        }
      } finally {
        ended++;
      }
    };
    const failing = async function* (): AsyncGenerator<number> {
      await pause();
      yield 2;
      throw new Error("broken");
    };
    const all = async (): Promise<void> => {
      for await (const n of merged([endless(), failing(), endless()])) expect(n).toBeLessThan(3);
    };
    await expect(all()).rejects.toThrow("broken");
    await pause();
    await pause();
    expect(ended).toBe(2);
    for await (const n of merged([endless(), endless()])) if (n === 1) break;
    await pause();
    await pause();
    expect(ended).toBe(4);
  });

  it("is nothing of nothing", async () => {
    const got: unknown[] = [];
    for await (const one of merged([])) got.push(one);
    expect(got).toEqual([]);
  });
});
