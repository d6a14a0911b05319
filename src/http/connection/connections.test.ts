import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer as createPort, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectSecurely, type SecureContextOptions } from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { fakeImages } from "../../../test/fake-images.ts";
import { Config } from "../../config/store.ts";
import { silent } from "../../core/log.ts";
import { createServer } from "../server.ts";
import { adoptConnection, prepareForConnections } from "./adoption.ts";
import { Connections } from "./connections.ts";
import { drain } from "./drain.ts";
import { httpKeys } from "./keys.ts";
import { Shutdown } from "./shutdown.ts";
import { loadKeyStore } from "./tls.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A server that is handed the connections of a port, with a limit. */
const start = async (max: number, keyStore?: SecureContextOptions) => {
  const excess: string[] = [];
  const recorded: number[] = [];
  const connections = new Connections({ max: () => max, excess: (what) => excess.push(what) });
  const ending = new Shutdown();
  const images = fakeImages();
  const server = createServer(
    {
      config: new Config(),
      images,
      outputs: () => ["jpg"],
      log: silent,
      access: ({ status }) => recorded.push(status),
      productVersion: "1",
      ending,
      connections,
    },
    keyStore,
  );
  Reflect.set(server.server, "connectionsCheckingInterval", 20);
  await prepareForConnections(server);
  const port = createPort((connection) => adoptConnection(server, connection));
  await once(port.listen(0, "127.0.0.1"), "listening");
  const sockets: Socket[] = [];
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    port.close();
    await drain([server], { ending, connections, seconds: 0 });
  });
  const client = (text = "") => {
    const to = { port: (port.address() as AddressInfo).port, host: "127.0.0.1" };
    const socket = keyStore ? connectSecurely({ ...to, rejectUnauthorized: false }) : connect(to);
    sockets.push(socket);
    const state = { heard: "", isClosed: false };
    socket.on("data", (chunk: Buffer) => {
      state.heard += chunk.toString("latin1");
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      state.isClosed = true;
    });
    if (text !== "") socket.write(text);
    return Object.assign(state, { socket });
  };
  return { server, connections, images, excess, recorded, client, ending };
};

const until = async (holds: () => boolean): Promise<void> => {
  const end = performance.now() + 10_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error("It did not come about within 10 s");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const slow = "/iiif/3/slow/full/max/0/default.jpg";

describe("connections", () => {
  it("are bounded: above the limit, the one idle longest is closed", async () => {
    const { connections, excess, client } = await start(3);
    const [first, second, third] = [client(), client(), client()];
    await until(() => connections.open === 3);
    // A connection with a request is not idle, and becomes the most recently idle one after it.
    first.socket.write(get("/livez"));
    await until(() => first.heard.includes("200 OK"));
    const fourth = client(get("/livez"));
    await until(() => fourth.heard.includes("200 OK") && second.isClosed);
    expect([first.isClosed, third.isClosed]).toEqual([false, false]);
    const fifth = client(get("/livez"));
    await until(() => fifth.heard.includes("200 OK") && third.isClosed);
    expect(first.isClosed).toBe(false);
    expect(connections.open).toBe(3);
    expect(excess).toEqual(["closed", "closed"]);
  });

  it("waiting for a response are never closed: the new one is refused", async () => {
    const { connections, images, excess, client } = await start(2);
    const busy = [client(get(slow)), client(get(slow) + get("/livez"))];
    await until(() => images.asked.drawn.length === 2);
    const refused = client(get("/livez"));
    await until(() => refused.isClosed);
    expect(refused.heard).toMatch(/^HTTP\/1\.1 503 [\s\S]*Connection: close[\s\S]*Retry-After: 1/);
    expect(excess).toEqual(["refused"]);
    expect(connections.open).toBe(2);
    expect(busy.map(({ isClosed }) => isClosed)).toEqual([false, false]);
    busy[0]?.socket.destroy();
    await until(() => connections.open === 1);
    const next = client(get("/livez"));
    await until(() => next.heard.includes("200 OK"));
  });

  it("with pipelined requests are idle after the last response", async () => {
    const { connections, images, client } = await start(1);
    const busy = client(get("/livez") + get(slow));
    await until(() => busy.heard.includes("200 OK") && images.asked.drawn.length === 1);
    const refused = client();
    await until(() => refused.isClosed);
    expect([connections.open, busy.isClosed]).toEqual([1, false]);
  });

  it("with pipelined requests abort and record all of them when the client disconnects", async () => {
    const { connections, images, recorded, client } = await start(1);
    const busy = client(get(slow) + get(slow.replace("slow", "slow2")) + get(slow));
    await until(() => images.asked.drawn.length === 3);
    busy.socket.destroy();
    await until(() => connections.open === 0 && recorded.length > 0);
    await until(() => recorded.length === 3);
    expect(recorded).toEqual([499, 499, 499]);
  });

  it("are released with a response, the next so many of them", async () => {
    const { connections, client } = await start(9);
    connections.release(1);
    const [idle, first] = [client(), client(get("/livez"))];
    await until(() => first.isClosed);
    expect(first.heard).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*Connection: close/i);
    const second = client(get("/livez"));
    await until(() => second.heard.includes("200 OK"));
    expect(second.heard).not.toMatch(/Connection: close/i);
    expect([idle.isClosed, second.isClosed]).toEqual([false, false]);
    connections.release(2);
    connections.release(0);
    second.socket.write(get("/livez"));
    await until(() => second.heard.split("200 OK").length === 3);
    expect(second.heard).not.toMatch(/Connection: close/i);
  });

  it("that are handed over are cut if the client never completes its request", async () => {
    const { server, client } = await start(2);
    server.server.headersTimeout = 50;
    const slowly = client("GET / HTTP/1.1\r\nHost: a\r\n");
    await until(() => slowly.isClosed);
    expect(slowly.heard).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("that are handed over are waited for at shutdown", async () => {
    const { server, connections, ending, images, client } = await start(9);
    const idle = client(get("/livez"));
    await until(() => idle.heard.includes("200 OK"));
    const busy = client(get(slow));
    await until(() => images.asked.drawn.length === 1);
    let isOver = false;
    const draining = drain([server], { ending, connections, seconds: 1 }).then(() => {
      isOver = true;
    });
    await until(() => idle.isClosed);
    expect([isOver, busy.isClosed]).toEqual([false, false]);
    await draining;
    await until(() => busy.isClosed);
    expect(busy.heard).toMatch(/^HTTP\/1\.1 503 /);
    expect(connections.open).toBe(0);
  });
});

describe("connections over TLS", () => {
  const openssl = spawnSync("openssl", ["version"]).status === 0;
  it.skipIf(!openssl)(
    "are bounded in the same way (skipped without the openssl program)",
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "vitrine-tls-"));
      closing.push(() => rm(folder, { recursive: true, force: true }));
      execFileSync(
        "openssl",
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout both.pem -out cert.pem -days 2 -subj /CN=localhost".split(
          " ",
        ),
        { cwd: folder, stdio: "pipe" },
      );
      execFileSync("sh", ["-c", "cat cert.pem >> both.pem"], { cwd: folder });
      const store = await loadKeyStore(
        new Config({
          "https.key_store_type": "PEM",
          "https.key_store_path": join(folder, "both.pem"),
        }).view(httpKeys)(),
      );
      const { connections, images, excess, client } = await start(2, store);
      const [first, second] = [client(get("/livez")), client(get("/livez"))];
      await until(() => [first, second].every(({ heard }) => heard.includes("200 OK")));
      first.socket.write(get(slow));
      await until(() => images.asked.drawn.length === 1);
      const third = client(get(slow));
      await until(() => images.asked.drawn.length === 2);
      expect([first.isClosed, second.isClosed]).toEqual([false, true]);
      const refused = client();
      await until(() => refused.isClosed);
      expect([excess, connections.open]).toEqual([["closed", "refused"], 2]);
      third.socket.destroy();
      await until(() => connections.open === 1);
    },
  );
});
