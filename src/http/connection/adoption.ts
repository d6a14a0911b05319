import { Server as HttpsServer } from "node:https";
import type { Socket } from "node:net";
import type { HttpServer } from "./http-server.ts";

/** Prepares a server for connections that another process accepts; it does not listen itself. */
export const prepareForConnections = async (server: HttpServer): Promise<void> => {
  await server.ready();
  // On this event Node.js starts its checks for slow clients.
  server.server.emit("listening");
};

/** Hands a server a connection from which nothing has been read. */
export const adoptConnection = ({ server }: HttpServer, connection: Socket): void => {
  // The same event as for a connection that the server accepted itself.
  connection.allowHalfOpen = !(server instanceof HttpsServer);
  server.emit("connection", connection);
};
