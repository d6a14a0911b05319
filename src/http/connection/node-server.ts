import { createServer as createPlainServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { SecureContextOptions } from "node:tls";
import { rawAnswer } from "./raw-answer.ts";

/** What a server is made with. */
export interface NodeServerOptions {
  /** How long an answer may take, in seconds. */
  readonly requestSeconds: number;
  /** The server speaks TLS where this is given. */
  readonly keyStore?: SecureContextOptions | undefined;
  /**
   * How long a client may be silent between requests, and take to send one, in milliseconds;
   * 30,000.
   */
  readonly patienceMs?: number;
}

const usualPatienceMs = 30_000;

/**
 * How often requests that are not all there are looked at, in milliseconds: Node cuts them that
 * much late at most. Its own default of 30 s would let slow senders have a connection for twice
 * their time.
 */
const lookMs = 1_000;

/** The most bytes of a request's headers, its target included. */
const maxHeaders = 32_768;

/** Makes Node's own server, not yet listening. */
export const createNodeServer = (
  listener: RequestListener,
  { requestSeconds, keyStore, patienceMs = usualPatienceMs }: NodeServerOptions,
): Server => {
  const options = {
    maxHeaderSize: maxHeaders,
    headersTimeout: patienceMs,
    requestTimeout: patienceMs,
    keepAliveTimeout: patienceMs,
    connectionsCheckingInterval: Math.min(lookMs, patienceMs),
  };
  const server =
    keyStore === undefined
      ? createPlainServer(options, listener)
      : createSecureServer({ ...options, handshakeTimeout: patienceMs, ...keyStore }, listener);
  // A connection on which nothing moves, while drawing may still be going on, is dropped after
  // this.
  server.timeout = requestSeconds * 1_000 + patienceMs;
  server.on("connect", (_request, socket) => endWith(socket, "405 Method Not Allowed"));
  return server;
};

/** Returns what never became a request: bytes that are not HTTP, headers too long or too slow. */
export const answerUnreadable = (error: Error & { code?: string }, socket: Socket): void => {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const line =
    error.code === "HPE_HEADER_OVERFLOW"
      ? "431 Request Header Fields Too Large"
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "408 Request Timeout"
        : "400 Bad Request";
  endWith(socket, line);
};

const endWith = (socket: Duplex, line: string): void => {
  socket.end(rawAnswer(line));
};
