import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { answerUnreadable, createNodeServer } from "./node-server.ts";

/**
 * Starts a server with short time limits; returns a function that sends a text and then one byte at
 * a time until the connection closes.
 */
const start = async () => {
  const server = createNodeServer(
    (request, response) => request.resume().on("end", () => response.end("whole")),
    { requestSeconds: 60, patienceMs: 300 },
  );
  server.on("clientError", answerUnreadable);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return (text: string, drip = ""): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      let received = "";
      socket.setEncoding("latin1");
      socket.on("data", (chunk: string) => {
        received += chunk;
      });
      socket.write(text);
      const dripping = setInterval(() => socket.write(drip), 50);
      const late = setTimeout(() => socket.destroy(new Error(`Still open: ${received}`)), 10_000);
      socket.on("close", () => {
        clearInterval(dripping);
        clearTimeout(late);
        resolve(received);
      });
      socket.on("error", (error: NodeJS.ErrnoException) => {
        // The bytes still being sent met a closed connection.
        if (error.code !== "ECONNRESET" && error.code !== "EPIPE") reject(error);
      });
    });
};

describe("a connection", () => {
  it.each([
    ["headers", "GET / HTTP/1.1\r\nHost: a\r\n", "X: a\r\n"],
    ["a target", "GET /", "a"],
    ["a body", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n", "a"],
    ["nothing at all", "", ""],
  ])(
    "that sends %s slowly is cut off, sooner than Node would by default",
    async (_what, text, drip) => {
      const send = await start();
      expect(await send(text, drip)).toMatch(/^HTTP\/1\.1 408 /);
    },
  );

  it("that asks to be tunnelled elsewhere is refused", async () => {
    const send = await start();
    const received = await send("CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n");
    expect(received).toMatch(/^HTTP\/1\.1 405 /);
  });
});

it("gives a request 30 seconds to arrive by default", () => {
  const server = createNodeServer(() => {}, { requestSeconds: 60 });
  expect(server.headersTimeout).toBe(30_000);
  expect(server.requestTimeout).toBe(30_000);
});
