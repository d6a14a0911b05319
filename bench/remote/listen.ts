import type { Server } from "node:http";

/** Listens on a free port of the loopback interface and returns the server's base URL. */
export const listen = (server: Server): Promise<URL> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (typeof address === "object" && address !== null)
        resolve(new URL(`http://127.0.0.1:${address.port}`));
      else reject(new Error("Expected a port"));
    });
  });

/** Closes a server together with its open connections. */
export const close = async (server: Server): Promise<void> => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
};
