import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fakeImages } from "../../../test/fake-images.ts";
import { Config } from "../../config/store.ts";
import { silent } from "../../core/log.ts";
import type { Images } from "../../service/images.ts";
import { createServer } from "../server.ts";
import { drain } from "./drain.ts";
import { Shutdown } from "./shutdown.ts";

const start = async (changes: Partial<Images> = {}) => {
  const ending = new Shutdown();
  const images = fakeImages();
  const server = createServer({
    config: new Config(),
    images: { ...images, ...changes },
    outputs: () => ["jpg"],
    log: silent,
    access: () => {},
    productVersion: "1.2.3",
    ending,
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  return { ending, images, server };
};

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const slow = "/iiif/3/slow/full/max/0/default.jpg";

/** Opens a connection, writes, and collects everything received until it closes. */
const converse = (
  port: number,
  text: string,
): { readonly socket: Socket; readonly all: Promise<string> } => {
  const socket = connect(port, "127.0.0.1");
  let heard = "";
  socket.on("data", (chunk: Buffer) => {
    heard += chunk.toString("latin1");
  });
  socket.write(text);
  return { socket, all: once(socket, "close").then(() => heard) };
};

const portOf = (server: Awaited<ReturnType<typeof start>>["server"]): number => {
  const address = server.server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
};

describe("draining", () => {
  it("ends unfinished requests with 503 in time, and closes every connection", async () => {
    const { ending, images, server } = await start();
    const idle = converse(portOf(server), get("/health"));
    await once(idle.socket, "data");
    const { all } = converse(portOf(server), get(slow));
    while (images.asked.drawn.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await drain([server], { ending, seconds: 0 });
    const answer = await all;
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/^retry-after: \d+\r$/im);
    expect(answer).toMatch(/^connection: close\r$/im);
    expect(await idle.all).toMatch(/^HTTP\/1\.1 200 /);
  });

  /** More than the system buffers for a client that does not read. */
  const body = new Uint8Array(64 * 2 ** 20);

  /** A client that is being sent a response and has not read any of it. */
  const slowReader = async (before = "") => {
    const { ending, images, server } = await start({ draw: async () => body });
    const socket = connect(portOf(server), "127.0.0.1").on("error", () => {});
    socket.write(before + get("/iiif/3/large/full/max/0/default.jpg"));
    await expect.poll(() => images.asked.known).toEqual(["large"]);
    await expect.poll(() => socket.bytesRead).toBeGreaterThan(1_000);
    return { ending, server, socket };
  };

  it.each([
    ["the answer that is being sent to it", ""],
    ["the last of several answers", get("/health")],
  ])("gives a slow client time for %s", async (_, before) => {
    const { ending, server, socket } = await slowReader(before);
    const drained = drain([server], { ending, seconds: 60 });
    // Lets idle connections be closed several times.
    await new Promise((resolve) => setTimeout(resolve, 200));
    let received = 0;
    socket.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    await Promise.all([drained, once(socket, "close")]);
    expect(received).toBeGreaterThan(body.length);
  });

  it("cuts off a client that does not read within a second after the deadline", async () => {
    const { ending, server } = await slowReader();
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let isDrained = false;
    const drained = drain([server], { ending, seconds: 7 }).then(() => {
      isDrained = true;
    });
    await vi.advanceTimersByTimeAsync(7_999);
    expect(isDrained).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await drained;
  });

  it("keeps a connection on which a request has begun to arrive", async () => {
    const { ending, server } = await start();
    const connected = once(server.server, "connection");
    const { socket, all } = converse(portOf(server), get("/health"));
    const [theirs] = (await connected) as [Socket];
    await once(socket, "data");
    const before = theirs.bytesRead;
    socket.write("GET /livez HTTP/1.1\r\n");
    await expect.poll(() => theirs.bytesRead).toBeGreaterThan(before);
    const drained = drain([server], { ending, seconds: 60 });
    await new Promise((resolve) => setTimeout(resolve, 200));
    socket.write("Host: a\r\n\r\n");
    expect(await all).toMatch(/200 OK[\s\S]*200 OK[\s\S]*connection: close/i);
    await drained;
  });

  it("refuses new requests on connections that are still open", async () => {
    const { ending, server } = await start();
    ending.begin();
    const { all } = converse(portOf(server), get("/health"));
    expect(await all).toMatch(/^HTTP\/1\.1 503 [\s\S]*connection: close/i);
    await drain([server], { ending, seconds: 0 });
  });

  it("reports that it is alive but not ready", async () => {
    const { ending, server } = await start();
    ending.begin();
    const alive = converse(portOf(server), get("/livez"));
    expect(await alive.all).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close/i);
    expect(await converse(portOf(server), get("/readyz")).all).toMatch(/^HTTP\/1\.1 503 /);
    await drain([server], { ending, seconds: 0 });
  });

  it("ends at once without requests in flight", async () => {
    const { ending, server } = await start();
    await drain([server], { ending, seconds: 3_600 });
    expect(server.server.listening).toBe(false);
  });
});
