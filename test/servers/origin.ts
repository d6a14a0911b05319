import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A request to an origin. */
export interface OriginRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
}

/** An origin's faults; default none. */
export type Fault =
  | "hang"
  | "hang in body"
  | "reset"
  | "reset in body"
  | "drip"
  | "other range"
  | "odd range"
  | "wrong length"
  | "short range"
  | "no ranges"
  | "no length"
  | "gzip"
  | "416"
  | "429"
  | "503"
  | "500"
  | "401"
  | "403"
  | "404"
  | "circle"
  | "far redirect"
  | "to loopback"
  | "to file";

/** A web server that can simulate the faults of web servers. */
export interface Origin {
  /** As in `http://127.0.0.1:8080`. */
  readonly base: string;
  /** Files by path, as in `/a.tif`; further ones may be added. */
  readonly files: Map<string, { bytes: Uint8Array; etag?: string; modified?: Date }>;
  /** All requests so far. */
  readonly requests: OriginRequest[];
  /** Bytes of bodies sent so far. */
  sent: number;
  /** The fault for a request; undefined for none. */
  fault: (request: OriginRequest, count: number) => Fault | undefined;
  /** Where it redirects every request to; nowhere. */
  redirect: string | undefined;
  /** The status of its redirects; 302. */
  redirectStatus: number;
  redirectHeaders: Readonly<Record<string, string>>;
  /** Delay of each response in milliseconds. */
  delayMs: number;
  close(): Promise<void>;
}

/** Starts an origin on a free port. It supports ranges and ETags. */
export const startOrigin = async (): Promise<Origin> => {
  const server = createServer((request, response) => {
    answer(origin, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const origin: Origin = {
    base: `http://127.0.0.1:${port}`,
    files: new Map(),
    requests: [],
    sent: 0,
    fault: () => undefined,
    redirect: undefined,
    redirectStatus: 302,
    redirectHeaders: {},
    delayMs: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return origin;
};

const answer = async (
  origin: Origin,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { url = "/", headers } = request;
  const asked: OriginRequest = { path: url, headers };
  origin.requests.push(asked);
  const fault = origin.fault(asked, origin.requests.length);
  if (origin.delayMs > 0) await sleep(origin.delayMs);
  if (fault === "hang") return;
  if (fault === "reset") return void request.socket.destroy();
  if (fault !== undefined && /^\d+$/.test(fault))
    return void response.writeHead(Number(fault), { "retry-after": "0" }).end("no");
  const location = origin.redirect ?? locations[fault ?? ""]?.(origin, origin.requests.length);
  if (location !== undefined)
    return void response
      .writeHead(origin.redirectStatus, { location, ...origin.redirectHeaders })
      .end();
  const file = origin.files.get(url);
  if (!file) return void response.writeHead(404).end("none");
  send(origin, { file, fault, range: headers.range }, response);
};

const locations: Readonly<Record<string, (origin: Origin, count: number) => string>> = {
  circle: () => "/circle",
  "far redirect": (_, count) => `/further/${count}`,
  "to loopback": ({ base }) => base.replace("127.0.0.1", "localhost"),
  "to file": () => "file:///etc/passwd",
};

interface Sending {
  readonly file: { readonly bytes: Uint8Array; readonly etag?: string; readonly modified?: Date };
  readonly fault: Fault | undefined;
  readonly range: string | undefined;
}

const send = (origin: Origin, { file, fault, range }: Sending, response: ServerResponse): void => {
  const size = file.bytes.length;
  const part = partOf(range, fault);
  if (part && part.from >= size)
    return void response.writeHead(416, { "content-range": `bytes */${size}` }).end();
  const from = part?.from ?? 0;
  const asked = Math.min(size, (part?.to ?? size) + 1);
  const body = file.bytes.subarray(from, fault === "short range" ? asked - 10 : asked);
  response.writeHead(part ? 206 : 200, {
    ...headersOf(file, { fault, body }),
    ...(part ? { "content-range": rangeHeader(from, body, { size, fault }) } : {}),
  });
  if (fault === "drip") return void drip(origin, body, response);
  const isCut = cuts.has(fault);
  const sent = isCut ? body.subarray(0, Math.floor(body.length / 2)) : body;
  origin.sent += sent.length;
  response.write(sent, () => {
    if (fault === "hang in body") return;
    if (isCut) response.destroy();
    else response.end();
  });
};

const cuts: ReadonlySet<Fault | undefined> = new Set(["reset in body", "hang in body"]);

const partOf = (
  range: string | undefined,
  fault: Fault | undefined,
): { readonly from: number; readonly to: number } | undefined => {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
  if (from === undefined || fault === "no ranges" || fault === "no length") return undefined;
  return { from: Number(from), to: Number(to) };
};

const rangeHeader = (
  from: number,
  { length }: Uint8Array,
  { size, fault }: { readonly size: number; readonly fault: Fault | undefined },
): string => {
  if (fault === "odd range") return "bytes everything";
  const shift = fault === "other range" ? 1 : 0;
  return `bytes ${from + shift}-${from + length - 1 + shift}/${size}`;
};

const headersOf = (
  { etag, modified }: Sending["file"],
  { fault, body }: { readonly fault: Fault | undefined; readonly body: Uint8Array },
): Record<string, string> => ({
  ...(fault === "no length" ? {} : { "content-length": String(lengthToTell(body, fault)) }),
  ...(etag === undefined ? {} : { etag }),
  ...(modified === undefined ? {} : { "last-modified": modified.toUTCString() }),
  ...(fault === "gzip" ? { "content-encoding": "gzip" } : {}),
});

const lengthToTell = ({ length }: Uint8Array, fault: Fault | undefined): number =>
  fault === "wrong length" ? length + 100 : length;

/** A byte every 50 ms. */
const drip = async (origin: Origin, body: Uint8Array, response: ServerResponse): Promise<void> => {
  for (let at = 0; at < body.length && !response.destroyed; at++) {
    origin.sent++;
    response.write(body.subarray(at, at + 1));
    await sleep(50);
  }
  response.end();
};
