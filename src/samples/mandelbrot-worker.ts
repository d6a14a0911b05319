import { parentPort } from "node:worker_threads";
import { drawRows, wholeSet } from "./mandelbrot.ts";

/** What a drawing thread is asked for: some rows of a picture of `side` times `side` pixels. */
export interface RowsWanted {
  readonly side: number;
  readonly first: number;
  readonly rows: number;
}

parentPort?.on("message", ({ side, first, rows }: RowsWanted) => {
  const pixels = drawRows(wholeSet(side), { width: side, height: side }, first, rows);
  parentPort?.postMessage(pixels, [pixels.buffer as ArrayBuffer]);
});
