import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Linked, LinkedList } from "../../core/linked-list.ts";
import { rawAnswer } from "./raw-answer.ts";

/**
 * What happens to connections above the limit: an idle one is closed, or the new one is refused.
 */
export type ExcessAction = "closed" | "refused";

/** Returns the limit on open connections. */
export interface ConnectionLimits {
  /** Maximum number of open connections. */
  readonly max: () => number;
  /** Called for each connection above the limit. */
  readonly excess: (what: ExcessAction) => void;
}

/** The connection of a client. */
interface Connection extends Linked<Connection> {
  /** Of TLS the decrypted socket, once the handshake is done. */
  socket: Socket;
  /** Requests whose responses are not fully sent; pipelining allows several. */
  requests: number;
  /** Bytes received when it became idle: a higher count means a further request has begun. */
  read: number;
  isOpen: boolean;
  /** Pipelined responses that waited for another one when their requests came. */
  readonly behind: Set<ServerResponse>;
}

const unbounded: ConnectionLimits = { max: () => Number.POSITIVE_INFINITY, excess: () => {} };

/**
 * Counts the connections of a process and bounds them: above the limit, the longest idle one is
 * closed; where none is idle, the new one is refused.
 */
export class Connections {
  readonly #bounds: ConnectionLimits;
  readonly #known = new WeakMap<Socket, Connection>();
  /** Connections without a request, the longest idle first. */
  readonly #idle = new LinkedList<Connection>();
  readonly #ended: (() => void)[] = [];
  #open = 0;
  /** Number of connections to be closed with their next response. */
  #releasing = 0;

  constructor(bounds: ConnectionLimits = unbounded) {
    this.#bounds = bounds;
  }

  /** The number of open connections. */
  get open(): number {
    return this.#open;
  }

  /**
   * Closes the next so many connections that get a response, with this response (RFC 9112, 9.6); 0
   * takes it back.
   */
  release(connections: number): void {
    this.#releasing = connections;
  }

  /** Resolves once none is open. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#open === 0) resolve();
      else this.#ended.push(resolve);
    });
  }

  /**
   * Tracks the connections of a server from now on. Its `closeIdleConnections`, which Node.js also
   * calls when the server closes, then spares those on which a response is being sent: Node.js
   * itself regards a connection as idle once the response is handed over, and would cut off slow
   * readers.
   */
  watch(server: Server, { secure }: { readonly secure: boolean }): void {
    const shaking = secure ? this.#secured(server) : undefined;
    server.prependListener("connection", (socket: Socket) => {
      const connection = this.#begin(socket);
      if (connection === undefined) refuse(socket, secure);
      else shaking?.(connection);
    });
    // Before the listener that responds, which may do so at once.
    server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
      const connection = this.#known.get(socket);
      if (connection) this.#ask(connection, response);
    });
    server.closeIdleConnections = () => {
      for (const { socket, read } of this.#idle.all)
        if (socket.bytesRead === read) socket.destroy();
    };
  }

  /** Marks a connection as busy until its request is answered. */
  #ask(connection: Connection, response: ServerResponse): void {
    connection.requests++;
    this.#idle.delete(connection);
    if (this.#releasing > 0 && connection.requests === 1 && response.shouldKeepAlive) {
      this.#releasing--;
      response.shouldKeepAlive = false;
    }
    // Another response on the connection is ahead of it.
    if (response.socket === null) connection.behind.add(response);
    response.on("close", () => {
      if (connection.behind.size > 0) connection.behind.delete(response);
      connection.requests--;
      connection.read = connection.socket.bytesRead;
      if (connection.requests === 0 && connection.isOpen) this.#idle.add(connection);
    });
  }

  /** Undefined where the connection was refused. */
  #begin(socket: Socket): Connection | undefined {
    if (this.#open >= this.#bounds.max()) {
      const oldest = this.#idle.first;
      this.#bounds.excess(oldest === undefined ? "refused" : "closed");
      if (oldest === undefined) return undefined;
      this.#end(oldest);
      oldest.socket.destroy();
    }
    const read = socket.bytesRead;
    const connection: Connection = {
      ...{ socket, requests: 0, read, isOpen: true, behind: new Set() },
      ...{ before: undefined, after: undefined, isListed: false },
    };
    this.#open++;
    this.#known.set(socket, connection);
    this.#idle.add(connection);
    socket.on("close", () => {
      this.#end(connection);
      // Once Node.js has closed the response that was being sent.
      process.nextTick(closeUnsent, connection.behind);
    });
    return connection;
  }

  #end(connection: Connection): void {
    if (!connection.isOpen) return;
    connection.isOpen = false;
    this.#idle.delete(connection);
    this.#open--;
    if (this.#open === 0) for (const resolve of this.#ended.splice(0)) resolve();
  }

  /** Finds the connection of a decrypted TLS socket: both sockets have the same peer. */
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

/**
 * Ends responses whose turn never came: Node.js emits no `close` for them, so that their requests
 * would neither be aborted nor recorded.
 */
const closeUnsent = (behind: ReadonlySet<ServerResponse>): void => {
  for (const response of behind)
    if (!response.closed && !response.writableFinished) {
      response.destroy();
      response.emit("close");
    }
};

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** Sends a refusal to a client that can read it, without waiting for it to arrive. */
const refuse = (socket: Socket, secure: boolean): void => {
  socket.on("error", () => {});
  // Later events of the connection have to find it registered.
  if (secure) setImmediate(() => socket.destroy());
  else {
    socket.write(rawAnswer("503 Service Unavailable", "Retry-After: 1\r\n"));
    socket.destroySoon();
  }
};
