import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { close, listen } from "./listen.ts";

/** How an origin misbehaves; selected by the first part of a path. */
export const faults = [
  "hang",
  "reset",
  "slow",
  "short",
  "long",
  "wrong-range",
  "no-length",
  "circle",
  "error",
  "gone",
] as const;
type Fault = (typeof faults)[number];

/** A web server that answers every request badly, and counts them. */
export interface FaultyOrigin {
  readonly base: URL;
  readonly requests: () => number;
  close(): Promise<void>;
}

/** Starts it on a free port of this machine. */
export const startFaultyOrigin = async (): Promise<FaultyOrigin> => {
  let requests = 0;
  const server = createServer((request, response) => {
    requests++;
    const [, name = ""] = (request.url ?? "").split("/");
    const fault = faults.find((one) => one === name);
    if (fault === undefined) response.writeHead(404).end();
    else
      answers[fault](request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const base = await listen(server);
  return {
    base,
    requests: () => requests,
    close: () => close(server),
  };
};

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const size = 10_000_000;
/** Looks like the start of a TIFF, so that more of it is asked for. */
const head = Buffer.concat([Buffer.from("49492a0000008000", "hex"), Buffer.alloc(65_528)]);

const part = (from: number, length: number): Readonly<Record<string, string | number>> => ({
  "content-range": `bytes ${from}-${from + length - 1}/${size}`,
  etag: '"one"',
});

const answers: Readonly<Record<Fault, Answer>> = {
  hang: async () => {},
  async reset(_request, response) {
    response.writeHead(206, { ...part(0, head.length), "content-length": head.length });
    response.write(head.subarray(0, 100));
    await delay(5);
    response.socket?.resetAndDestroy();
  },
  async slow(_request, response) {
    response.writeHead(206, { ...part(0, head.length), "content-length": head.length });
    for (let at = 0; at < head.length && !response.destroyed; at++) {
      response.write(head.subarray(at, at + 1));
      await delay(500);
    }
    response.end();
  },
  async short(_request, response) {
    response.writeHead(206, { ...part(0, head.length), "content-length": head.length });
    response.write(head.subarray(0, 1_000));
    await delay(5);
    response.socket?.end();
  },
  async long(_request, response) {
    response.writeHead(206, part(0, 1_000));
    while (!response.destroyed) {
      if (!response.write(head)) await delay(1);
    }
  },
  async "wrong-range"(_request, response) {
    response.writeHead(206, part(4_711, head.length)).end(head);
  },
  async "no-length"(_request, response) {
    response.writeHead(206, { "content-range": "bytes 0-65535/*" }).end(head);
  },
  async circle(request, response) {
    const [path = "", count = "0"] = (request.url ?? "").split("?");
    response.writeHead(302, { location: `${path}?${(Number(count) + 1) % 3}` }).end();
  },
  async error(_request, response) {
    response.writeHead(503, { "retry-after": "1" }).end("busy");
  },
  async gone(_request, response) {
    response.writeHead(404).end("gone");
  },
};
