import { Server as HttpsServer } from "node:https";
import type { Socket } from "node:net";
import type { HttpServer } from "./http-server.ts";

/** Makes a server ready for connections that others accept; it does not listen itself. */
export const prepareForConnections = async (server: HttpServer): Promise<void> => {
  await server.ready();
  // It is at this event that Node.js begins to look for clients that are too slow.
  server.server.emit("listening");
};

/** Gives a server a connection that nothing was read from. */
export const adoptConnection = ({ server }: HttpServer, connection: Socket): void => {
  // As it is where the server has accepted it itself.
  connection.allowHalfOpen = !(server instanceof HttpsServer);
  server.emit("connection", connection);
};
