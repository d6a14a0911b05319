import { expect, test } from "vitest";
import { drawStrips } from "./drawing.ts";
import { drawRows, wholeSet } from "./mandelbrot.ts";

const { signal } = new AbortController();

test("strips come in order, whole, and as one thread alone would have drawn them", async () => {
  const side = 100;
  const strips: Uint8Array[] = [];
  for await (const strip of drawStrips({ side, rows: 24, signal })) strips.push(strip);
  expect(strips.map((strip) => strip.length / (side * 3))).toEqual([24, 24, 24, 24, 4]);
  const alone = drawRows(wholeSet(side), { width: side, height: side }, 0, side);
  expect(Buffer.concat(strips).equals(Buffer.from(alone))).toBe(true);
});

test("an abort ends the drawing", async () => {
  const abort = new AbortController();
  const drawing = drawStrips({ side: 64, rows: 16, signal: abort.signal });
  await drawing.next();
  abort.abort();
  await expect(drawing.next()).rejects.toThrow(/abort/i);
});
