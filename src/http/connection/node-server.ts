import { createServer as createPlainServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { SecureContextOptions } from "node:tls";
import { rawAnswer } from "./raw-answer.ts";

/** Options of a server. */
export interface NodeServerOptions {
  /** Maximum duration of a response in seconds. */
  readonly requestSeconds: number;
  /** Speaks TLS with this key store where given. */
  readonly keyStore?: SecureContextOptions | undefined;
  /** Milliseconds a client may be silent between requests, or take to send one; 30,000. */
  readonly patienceMs?: number;
}

const usualPatienceMs = 30_000;

/**
 * Milliseconds between checks for incomplete requests, which Node.js cuts off by up to that much
 * later. Its default of 30 s would give slow senders twice their time.
 */
const lookMs = 1_000;

/** Maximum length of the request line and headers in bytes. */
const maxHeaders = 32_768;

/** Creates a Node.js server that does not listen yet. */
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
  // Drops a connection on which nothing moves for this long, although a render may still be going
  // on.
  server.timeout = requestSeconds * 1_000 + patienceMs;
  server.on("connect", (_request, socket) => endWith(socket, "405 Method Not Allowed"));
  return server;
};

/** Handles bytes that never became a request: not HTTP, headers too long or too slow. */
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
