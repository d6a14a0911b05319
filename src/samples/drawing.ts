import { once } from "node:events";
import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { startThread } from "../core/thread.ts";
import type { RowsWanted } from "./mandelbrot-worker.ts";

/** How a picture is drawn: square, in strips from the top. */
export interface DrawingOptions {
  /** In pixels. */
  readonly side: number;
  /** Rows of a strip. */
  readonly rows: number;
  readonly signal: AbortSignal;
}

/**
 * The Mandelbrot set as RGB strips in order, drawn in as many threads as there are processors (at
 * most 4) and never more strips ahead than there are threads; the threads end with the reading.
 */
export async function* drawStrips(options: DrawingOptions): AsyncGenerator<Uint8Array> {
  const { side, rows, signal } = options;
  const strips = Math.ceil(side / rows);
  const threads = Array.from({ length: Math.min(availableParallelism(), 4, strips) }, () =>
    startThread(new URL("./mandelbrot-worker", import.meta.url)),
  );
  try {
    const wanted = (strip: number): RowsWanted => ({
      side,
      first: strip * rows,
      rows: Math.min(rows, side - strip * rows),
    });
    const pending = threads.map((thread, strip) => ask(thread, wanted(strip), signal));
    for (let strip = 0; strip < strips; strip++) {
      signal.throwIfAborted();
      const slot = strip % threads.length;
      const thread = threads[slot];
      const pixels = await pending[slot];
      if (thread === undefined || pixels === undefined) return;
      const ahead = strip + threads.length;
      if (ahead < strips) pending[slot] = ask(thread, wanted(ahead), signal);
      yield pixels;
    }
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}

const ask = (thread: Worker, rows: RowsWanted, signal: AbortSignal): Promise<Uint8Array> => {
  thread.postMessage(rows);
  const answer = once(thread, "message", { signal }).then(([pixels]) => pixels as Uint8Array);
  // Several are under way; one that fails while another is awaited must not count as unhandled.
  answer.catch(() => undefined);
  return answer;
};
