import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** What is known of an open connection. */
interface Connection {
  /** Requests whose answers are not wholly sent. */
  answers: number;
  /** Bytes that had come when the last answer was sent: more of them are a further request. */
  read: number;
}

/**
 * Makes `closeIdleConnections` of a server, which Node.js also calls when the server closes, spare the connections
 * on which an answer is being sent. Node.js itself takes a connection for idle once its answer was handed over, and
 * would cut off whoever is slow to read it.
 */
export const spareAnswers = (server: Server, { secure }: { readonly secure: boolean }): void => {
  const connections = new Map<Socket, Connection>();
  server.on(secure ? "secureConnection" : "connection", (socket: Socket) => {
    connections.set(socket, { answers: 0, read: socket.bytesRead });
    socket.once("close", () => connections.delete(socket));
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.answers++;
    response.once("close", () => {
      connection.answers--;
      connection.read = socket.bytesRead;
    });
  });
  server.closeIdleConnections = () => {
    for (const [socket, { answers, read }] of connections)
      if (answers === 0 && socket.bytesRead === read) socket.destroy();
  };
};
