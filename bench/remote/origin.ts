import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { close, listen } from "./listen.ts";

/** An origin's traffic since the last reset. */
export interface Traffic {
  readonly requests: number;
  /** Of the bodies. */
  readonly bytes: number;
}

/**
 * A web server that serves one file as `/N/NAME`, for any N: each N is another object to whoever
 * asks.
 */
export interface Origin {
  readonly base: URL;
  /** The traffic since the last call. */
  traffic(): Traffic;
  close(): Promise<void>;
}

export interface OriginOptions {
  /** Added to each request, in milliseconds. */
  readonly delayMs: number;
  /** Of each connection, in megabits per second. */
  readonly megabits: number;
}

/** Starts an origin on a free port of this machine. */
export const startOrigin = async (file: string, options: OriginOptions): Promise<Origin> => {
  const { size, mtime } = await stat(file);
  let requests = 0;
  let bytes = 0;

  const send = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests++;
    await delay(options.delayMs);
    const range = rangeOf(request.headers.range, size);
    response.setHeader("accept-ranges", "bytes");
    response.setHeader("etag", `"${size}-${mtime.getTime()}-${request.url}"`);
    response.setHeader("last-modified", mtime.toUTCString());
    if (range === "none") {
      response.writeHead(416, { "content-range": `bytes */${size}` }).end();
      return;
    }
    const [start, end] = range ?? [0, size - 1];
    response.writeHead(range ? 206 : 200, {
      "content-length": end - start + 1,
      ...(range ? { "content-range": `bytes ${start}-${end}/${size}` } : {}),
    });
    if (request.method === "HEAD") {
      response.end();
      return;
    }
    for await (const chunk of paced(createReadStream(file, { start, end }), options.megabits)) {
      if (response.destroyed) return;
      response.write(chunk);
      bytes += chunk.length;
    }
    response.end();
  };

  const server = createServer((request, response) => {
    send(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const base = await listen(server);
  return {
    base,
    traffic() {
      const sum = { requests, bytes };
      requests = 0;
      bytes = 0;
      return sum;
    },
    close: () => close(server),
  };
};

/** Passes on what comes at no more than so many megabits per second. */
async function* paced(chunks: AsyncIterable<Buffer>, megabits: number): AsyncGenerator<Buffer> {
  const began = performance.now();
  let sent = 0;
  for await (const chunk of chunks) {
    yield chunk;
    sent += chunk.length;
    const due = (sent * 8) / (megabits * 1_000) - (performance.now() - began);
    if (due > 1) await delay(due);
  }
}

/**
 * First and last byte of a single range; undefined where none is asked for, `none` where it lies
 * behind the end.
 */
const rangeOf = (
  header: string | undefined,
  size: number,
): readonly [number, number] | "none" | undefined => {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") return [Math.max(0, size - Number(last)), size - 1];
  if (Number(first) >= size) return "none";
  return [Number(first), Math.min(size - 1, last === "" ? size - 1 : Number(last))];
};
