import { createServer, type RequestListener, type Server } from "node:http";
import { afterEach, expect, it } from "vitest";
import { openLoad } from "./open-load.ts";

let server: Server | undefined;

afterEach(async () => {
  await new Promise((resolve) => server?.close(resolve));
});

const serve = async (listener: RequestListener): Promise<URL> => {
  const listening = createServer(listener);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const address = listening.address();
  return new URL(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`);
};

it("sends as many as it was told, whatever the answers, and counts them by kind", async () => {
  const base = await serve((request, response) => {
    response.statusCode = request.url === "/b" ? 503 : 200;
    response.end("body");
  });
  const { kinds, sent, dropped } = await openLoad(
    (number) => (number % 4 === 0 ? { kind: "b", path: "/b" } : { kind: "a", path: "/a" }),
    { base, rate: 400, seconds: 0.5, connections: 200, first: "/a", timeout: 10_000 },
  );
  expect({ sent, dropped }).toEqual({ sent: 200, dropped: 0 });
  expect(kinds["a"]?.statuses).toEqual({ "200": 150 });
  expect(kinds["b"]?.statuses).toEqual({ "503": 50 });
  expect(kinds["b"]?.times["503"]).toHaveLength(50);
});

it("drops and counts what finds every connection taken, and waits for the others", async () => {
  const waiting: (() => void)[] = [];
  const base = await serve((request, response) => {
    if (request.url === "/first") response.end();
    else waiting.push(() => response.end());
  });
  const answering = setInterval(() => {
    // Nothing is answered before all arrivals are over.
    if (Date.now() > over) for (const answer of waiting.splice(0)) answer();
  }, 20);
  const over = Date.now() + 1_500;
  const { kinds, sent, dropped } = await openLoad(() => ({ kind: "slow", path: "/slow" }), {
    ...{ base, rate: 100, seconds: 0.5, connections: 3, first: "/first", timeout: 10_000 },
  });
  clearInterval(answering);
  expect({ sent, dropped }).toEqual({ sent: 3, dropped: 47 });
  expect(kinds["slow"]?.statuses).toEqual({ "200": 3 });
});
