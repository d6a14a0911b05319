import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "./app.ts";
import { drawPictures } from "./pictures.ts";
import { imagePath, infoPath } from "./requests.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer(drawPictures);
});
afterAll(() => server.close());

/** Sends raw bytes and returns everything received until the server closes, or `enough` arrived. */
const send = (text: string, enough: (received: string) => boolean = () => false): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(server.base).port), "127.0.0.1");
    let received = "";
    socket.setEncoding("latin1");
    socket.setTimeout(10_000, () => socket.destroy(new Error(`No end within 10 s: ${received}`)));
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
    socket.on("data", (chunk: string) => {
      received += chunk;
      if (enough(received)) socket.end();
    });
    socket.write(text, "latin1");
  });

const stillServes = async (): Promise<void> => {
  expect((await server.ask(imagePath(3, "small.png"))).status).toBe(200);
};

const line = (target: string): string => `GET ${target} HTTP/1.1`;
const end = "Connection: close\r\n\r\n";

describe("connections", () => {
  it("that close before the response abort only their own request", async () => {
    const paths = Array.from({ length: 40 }, (_, index) =>
      imagePath(3, "large.tif", { size: `${500 + index},` }),
    );
    await Promise.all(
      paths.map(
        (path) =>
          new Promise<void>((resolve, reject) => {
            const socket = connect(Number(new URL(server.base).port), "127.0.0.1");
            socket.on("error", reject);
            socket.on("close", () => resolve());
            socket.write(`${line(path)}\r\nHost: a\r\n\r\n`, () => socket.destroy());
          }),
      ),
    );
    await stillServes();
    const again = await server.ask(paths[0] ?? "/");
    expect(again.status).toBe(200);
  });

  it("may use an absolute URI, whose host then counts", async () => {
    const path = infoPath(3, "small.png");
    const asked = `${line(`http://other.example.org:8080${path}`)}\r\nHost: a.example.org\r\n${end}`;
    expect(await send(asked)).toContain('"id":"http://other.example.org:8080/iiif/3/small.png"');
  });

  it("may pipeline requests, and get responses in order", async () => {
    const paths = [
      imagePath(3, "large.tif", { size: "900," }),
      infoPath(3, "small.png"),
      "/health",
    ];
    const [first, second, third] = paths.map((path) => `${line(path)}\r\nHost: a\r\n`);
    const received = await send(`${first}\r\n${second}\r\n${third}${end}`);
    const types = [...received.matchAll(/^content-type: ([\w/+]+)/gim)].map(([, type]) => type);
    expect(types).toEqual(["image/jpeg", "application/ld+json", "application/json"]);
  });

  it("need no Host in HTTP/1.0", async () => {
    const received = await send(`GET ${infoPath(3, "small.png")} HTTP/1.0\r\n\r\n`);
    expect(received).toMatch(/^HTTP\/1\.1 200 /);
    expect(received).toContain(`"id":"${server.base}/iiif/3/small.png"`);
  });

  it.each([
    ["what is no HTTP", "nonsense\r\n\r\n", 400],
    ["a request without a target", "GET HTTP/1.1\r\n\r\n", 400],
    ["an unknown version of HTTP", "GET / HTTP/9.9\r\n\r\n", 400],
    ["a NUL in the target", `${line("/iiif/3/a\0b/info.json")}\r\nHost: a\r\n${end}`, 400],
    ["two hosts", `${line("/")}\r\nHost: a\r\nHost: b\r\n${end}`, 400],
    ["the same host twice", `${line("/")}\r\nHost: a\r\nhost: a\r\n${end}`, 400],
    ["a list of hosts", `${line("/")}\r\nHost: a, b\r\n${end}`, 400],
    ["a host that is none", `${line("/")}\r\nHost: a/b\r\n${end}`, 400],
    ["a name with a password as a host", `${line("http://u:p@a/")}\r\nHost: a\r\n${end}`, 400],
    ["a version of HTTP that is not spoken", `GET / HTTP/2.0\r\nHost: a\r\n${end}`, 400],
    ["a star for a target", `${line("*")}\r\nHost: a\r\n${end}`, 400],
    ["headers without end", `${line("/")}\r\nHost: a\r\nX: ${"x".repeat(70_000)}\r\n\r\n`, 431],
  ])("that send %s get an error", async (_what, text, status) => {
    expect(await send(text)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    await stillServes();
  });

  it("may send an invalid host without harm", async () => {
    for (const host of ['"><script>', "a b", "[::1", "a:99999", "a/b", "", "x".repeat(5000)]) {
      const asked = `${line(infoPath(3, "small.png"))}\r\nHost: ${host}\r\n${end}`;
      const received = await send(asked);
      expect(received, host).toMatch(/^HTTP\/1\.1 (200|400|431) /);
      expect(received).not.toContain("<script>");
    }
  });
});
