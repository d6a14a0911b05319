import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A request as a delegate over HTTP saw it. */
export interface SeenRequest {
  readonly method: string;
  /** The last segment of the path. */
  readonly name: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The response: a value as JSON, or one of the test's own. */
export type Reply =
  | { readonly json: unknown; readonly headers?: Readonly<Record<string, string>> }
  | ((response: ServerResponse) => void);

/** A delegate over HTTP for tests. */
export interface HttpDelegateServer {
  readonly url: string;
  readonly port: number;
  readonly seen: SeenRequest[];
  /** The requests for a method so far. */
  of(name: string): readonly SeenRequest[];
  close(): Promise<void>;
}

/** Starts a delegate that responds as `reply` says; on a free port, or a given one. */
export const startHttpDelegate = async (
  reply: (request: SeenRequest) => Reply | Promise<Reply>,
  port = 0,
): Promise<HttpDelegateServer> => {
  const seen: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const path = request.url ?? "";
    const one = {
      method: request.method ?? "",
      name: path.slice(path.lastIndexOf("/") + 1),
      path,
      headers: request.headers,
      body,
    };
    seen.push(one);
    const answer = await reply(one);
    if (typeof answer === "function") return answer(response);
    response
      .writeHead(200, { "content-type": "application/json", ...answer.headers })
      .end(JSON.stringify(answer.json));
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/rules`,
    port: address.port,
    seen,
    of: (name) => seen.filter((one) => one.name === name),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
};
