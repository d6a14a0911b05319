import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { rawAnswer } from "./raw-answer.ts";

/**
 * What becomes of connections when there are too many: one that was idle is closed, or the new one
 * is refused.
 */
export type Excess = "closed" | "refused";

/** How many connections there may be. */
export interface ConnectionLimits {
  /** Most that may be open. */
  readonly max: () => number;
  /** Told of each that was too many. */
  readonly excess: (what: Excess) => void;
}

/** The connection of a client. */
interface Connection {
  /** Of TLS what is within, once it is secure. */
  socket: Socket;
  /** Requests whose answers are not wholly sent; pipelining makes them several. */
  requests: number;
  /** Bytes that had come when it became idle: more of them are a further request. */
  read: number;
  isOpen: boolean;
}

const unbounded: ConnectionLimits = { max: () => Number.POSITIVE_INFINITY, excess: () => {} };

/**
 * Keeps count of the connections of a process and bounds them: for one too many, the one that was
 * idle for the longest time is closed, and where none is, the new one is refused.
 */
export class Connections {
  readonly #bounds: ConnectionLimits;
  readonly #known = new WeakMap<Socket, Connection>();
  /** Those without a request, the longest idle first. */
  readonly #idle = new Set<Connection>();
  readonly #ended: (() => void)[] = [];
  #open = 0;

  constructor(bounds: ConnectionLimits = unbounded) {
    this.#bounds = bounds;
  }

  /** How many are open. */
  get open(): number {
    return this.#open;
  }

  /** Resolves as soon as none is open. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#open === 0) resolve();
      else this.#ended.push(resolve);
    });
  }

  /**
   * Looks after the connections of a server from now on. Its `closeIdleConnections`, which Node.js
   * also calls when the server closes, then spares those on which an answer is being sent: Node.js
   * itself takes a connection for idle once its answer was handed over, and would cut off whoever
   * is slow to read it.
   */
  watch(server: Server, { secure }: { readonly secure: boolean }): void {
    const shaking = secure ? this.#secured(server) : undefined;
    server.prependListener("connection", (socket: Socket) => {
      const connection = this.#begin(socket);
      if (connection === undefined) refuse(socket, secure);
      else shaking?.(connection);
    });
    server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
      const connection = this.#known.get(socket);
      if (connection) this.#ask(connection, response);
    });
    server.closeIdleConnections = () => {
      for (const { socket, read } of this.#idle) if (socket.bytesRead === read) socket.destroy();
    };
  }

  /** A request has come, and the connection is not idle until it is answered. */
  #ask(connection: Connection, response: ServerResponse): void {
    connection.requests++;
    this.#idle.delete(connection);
    response.on("close", () => {
      connection.requests--;
      connection.read = connection.socket.bytesRead;
      if (connection.requests === 0 && connection.isOpen) this.#idle.add(connection);
    });
  }

  /** Undefined where there is no room for it. */
  #begin(socket: Socket): Connection | undefined {
    if (this.#open >= this.#bounds.max()) {
      const [oldest] = this.#idle;
      this.#bounds.excess(oldest === undefined ? "refused" : "closed");
      if (oldest === undefined) return undefined;
      this.#end(oldest);
      oldest.socket.destroy();
    }
    const connection = { socket, requests: 0, read: socket.bytesRead, isOpen: true };
    this.#open++;
    this.#known.set(socket, connection);
    this.#idle.add(connection);
    socket.on("close", () => this.#end(connection));
    return connection;
  }

  #end(connection: Connection): void {
    if (!connection.isOpen) return;
    connection.isOpen = false;
    this.#idle.delete(connection);
    this.#open--;
    if (this.#open === 0) for (const resolve of this.#ended.splice(0)) resolve();
  }

  /**
   * Finds the connection again by which what is within TLS came: both sockets have the same peer.
   */
  #secured(server: Server): (connection: Connection) => void {
    const shaking = new Map<string, Connection>();
    server.on("secureConnection", (within: Socket) => {
      const connection = shaking.get(peerOf(within));
      if (connection === undefined) return;
      connection.socket = within;
      connection.read = within.bytesRead;
      this.#known.set(within, connection);
    });
    return (connection) => {
      const peer = peerOf(connection.socket);
      shaking.set(peer, connection);
      connection.socket.on("close", () => shaking.delete(peer));
    };
  }
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** Says so where the client can read it, and does not wait for the client to hear it. */
const refuse = (socket: Socket, secure: boolean): void => {
  socket.on("error", () => {});
  // What else is told of the connection has to find it open.
  if (secure) setImmediate(() => socket.destroy());
  else {
    socket.write(rawAnswer("503 Service Unavailable", "Retry-After: 1\r\n"));
    socket.destroySoon();
  }
};
