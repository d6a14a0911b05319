import { createServer, type RequestListener, type Server } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { type ReplayOptions, replay } from "./replay.ts";

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const listen = async (answer: RequestListener): Promise<ReplayOptions> => {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected a port");
  const base = new URL(`http://127.0.0.1:${address.port}`);
  return { base, clients: 3, seconds: 20, requests: 10, timeout: 5000, headers: {} };
};

describe("replay", () => {
  it("asks for the list in order, again from its start, and no more than it was told", async () => {
    const asked: string[] = [];
    const options = await listen((request, response) => {
      asked.push(request.url ?? "");
      response.end("12345");
    });
    const { statuses, bytes, times } = await replay(["/a", "/b", "/c", "/d"], {
      ...options,
      clients: 1,
    });
    expect(asked).toEqual(["/a", "/b", "/c", "/d", "/a", "/b", "/c", "/d", "/a", "/b"]);
    expect(statuses).toEqual({ 200: 10 });
    expect(bytes).toBe(50);
    expect(times).toHaveLength(10);
  });

  it("sends paths as they are written, dots, backslashes and percent codes included", async () => {
    const asked: string[] = [];
    const options = await listen((request, response) => {
      asked.push(request.url ?? "");
      response.end();
    });
    const paths = ["/a/../b", "/%2e%2E/\\x", "/a%2Fb/^max"] as const;
    await replay([...paths], { ...options, clients: 1, requests: 3 });
    expect(asked).toEqual(paths);
  });

  it("keeps one connection per client", async () => {
    const ports = new Set<number | undefined>();
    const options = await listen((request, response) => {
      ports.add(request.socket.remotePort);
      setImmediate(() => response.end("ok"));
    });
    await replay(["/a"], { ...options, clients: 3, requests: 60 });
    expect(ports.size).toBeLessThanOrEqual(3);
  });

  it("counts statuses, broken answers and silence apart", async () => {
    const options = await listen((request, response) => {
      if (request.url === "/missing") response.writeHead(404).end("no");
      else if (request.url === "/broken") response.socket?.destroy();
      else if (request.url !== "/silent") response.end("ok");
    });
    const { statuses, times } = await replay(["/ok", "/missing", "/broken", "/silent"], {
      ...options,
      clients: 1,
      requests: 4,
      timeout: 200,
    });
    expect(statuses).toEqual({ 200: 1, 404: 1, ECONNRESET: 1, timeout: 1 });
    expect(times).toHaveLength(2);
  });
});
