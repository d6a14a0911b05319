import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { fakeImages } from "../../test/fake-images.ts";
import { Config } from "../config/store.ts";
import { silent } from "../core/log.ts";
import { drain } from "./drain.ts";
import { Ending } from "./ending.ts";
import { createServer } from "./server.ts";

const start = async () => {
  const ending = new Ending();
  const images = fakeImages();
  const server = createServer({
    config: new Config(),
    images,
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

/** Opens a connection, writes, and gathers all that comes until it is closed. */
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
  it("gives up what is not done in time with 503, and closes every connection", async () => {
    const { ending, images, server } = await start();
    const idle = converse(portOf(server), get("/health"));
    await once(idle.socket, "data");
    const { all } = converse(portOf(server), get(slow));
    while (images.asked.drawn.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await drain([server], ending, { seconds: 0 });
    const answer = await all;
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/^retry-after: \d+\r$/im);
    expect(answer).toMatch(/^connection: close\r$/im);
    expect(await idle.all).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("turns new requests away on connections that are still open", async () => {
    const { ending, server } = await start();
    ending.begin();
    const { all } = converse(portOf(server), get("/health"));
    expect(await all).toMatch(/^HTTP\/1\.1 503 [\s\S]*connection: close/i);
    await drain([server], ending, { seconds: 0 });
  });

  it("says that it is alive, and that it is not ready", async () => {
    const { ending, server } = await start();
    ending.begin();
    const alive = converse(portOf(server), get("/livez"));
    expect(await alive.all).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close/i);
    expect(await converse(portOf(server), get("/readyz")).all).toMatch(/^HTTP\/1\.1 503 /);
    await drain([server], ending, { seconds: 0 });
  });

  it("ends at once where nothing is under way", async () => {
    const { ending, server } = await start();
    await drain([server], ending, { seconds: 3_600 });
    expect(server.server.listening).toBe(false);
  });
});
