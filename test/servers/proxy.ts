import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request } from "node:http";

/** A server in front of another one. */
export interface Proxy {
  /** Scheme, host and port. */
  readonly base: string;
  close(): Promise<void>;
}

/** A request as a proxy sees it. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Forwards requests to a port of this machine unchanged, except those that `refuse` has a status
 * for.
 */
export const proxyTo = async (
  port: number,
  refuse: (asked: Asked) => number | undefined,
): Promise<Proxy> => {
  const server = createServer((asked, answer) => {
    const { method = "", url = "", headers } = asked;
    const status = refuse({ method, url, headers });
    if (status !== undefined) {
      asked.resume();
      answer.writeHead(status).end();
      return;
    }
    const passed = request(
      { host: "127.0.0.1", port, method, path: url, headers, agent: false },
      (came) => {
        answer.writeHead(came.statusCode ?? 500, came.headers);
        came.pipe(answer);
      },
    );
    passed.on("error", () => answer.destroy());
    asked.pipe(passed);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("Expected a port");
  return {
    base: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
};
