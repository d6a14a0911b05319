import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { random } from "../random.ts";
import { findProgram } from "../servers/database.ts";
import { listens } from "../servers/listens.ts";
import { json, startServer, type TestServer } from "./app.ts";
import { drawPictures, drawSmall } from "./pictures.ts";

const python = findProgram("python3");
const noPython = python === undefined ? "python3 is not installed: apt-get install python3" : "";
const example = fileURLToPath(new URL("../../docs/delegate-http-example.py", import.meta.url));
const secret = "a secret of 16 or more";

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
};

const as = (user: string | undefined, headers = {}) => ({
  headers: { ...(user === undefined ? {} : { cookie: `reader=${user}` }), ...headers },
});
const picture = (identifier: string) =>
  `/iiif/3/${encodeURIComponent(identifier)}/full/max/0/default.jpg`;
const information = (identifier: string) => `/iiif/3/${encodeURIComponent(identifier)}/info.json`;

describe.skipIf(noPython !== "")(`the documentation's delegate in Python ${noPython}`, () => {
  let server: TestServer;
  let port: number;
  let delegate: ChildProcess | undefined;

  const startDelegate = async (key = secret): Promise<void> => {
    delegate = spawn(python ?? "", [example], {
      env: { VITRINE_SECRET: key, PORT: `${port}` },
      stdio: "ignore",
    });
    while (!(await listens(port))) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const stopDelegate = async (): Promise<void> => {
    const stopped = delegate;
    delegate = undefined;
    if (stopped === undefined) return;
    const gone = once(stopped, "exit");
    stopped.kill("SIGKILL");
    await gone;
  };
  const statusOf = async (path: string, user?: string): Promise<number> =>
    (await server.ask(path, as(user))).status;
  /** Repeats a request until the status is not 500. */
  const answered = async (path: string): Promise<number> => {
    for (;;) {
      const status = await statusOf(path);
      if (status !== 500) return status;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  beforeAll(async () => {
    port = await freePort();
    server = await startServer(
      async (folder) => {
        await drawPictures(folder);
        await drawSmall(folder, "closed/a.png");
      },
      {
        "delegate.http.url": `http://127.0.0.1:${port}/`,
        "delegate.http.secret": secret,
        "cache.server.derivative.enabled": true,
        "cache.server.info.trust_seconds": 60,
        "cache.client.enabled": true,
      },
    );
  });
  afterAll(async () => {
    await stopDelegate();
    await server?.close();
  });

  it("is waited for: nothing is shown before it responds", async () => {
    for (const path of [picture("small.png"), information("small.png")])
      expect(await statusOf(path, "ann")).toBe(500);
    const { status, body } = await server.ask("/readyz");
    expect([status, `${body}`]).toEqual([503, expect.stringContaining("delegate.http")]);
    await startDelegate();
    expect(await answered(picture("small.png"))).toBe(200);
  });

  it("shows protected images to readers only, whatever is cached", async () => {
    const { one } = random(16);
    const tags = new Map<string, string>();
    const wrong: string[] = [];
    let sent = 0;
    const isOpenTo = (user: string | undefined, identifier: string): boolean =>
      identifier === "small.png" || user === "ann" || user === "bob";
    const conditionOf = (path: string): Readonly<Record<string, string>> => {
      const tag = tags.get(path);
      return tag === undefined || one([true, false]) ? {} : { "if-none-match": tag };
    };
    const ask = async (): Promise<void> => {
      const user = one(["ann", "bob", "eve", undefined]);
      const identifier = one(["closed/a.png", "small.png"]);
      const path = one([picture, information])(identifier);
      const method = one(["GET", "GET", "HEAD"]);
      const how = { method, ...as(user, conditionOf(path)) };
      const { status, headers } = await server.ask(path, how);
      if (headers.etag !== undefined) tags.set(path, headers.etag);
      const expected = isOpenTo(user, identifier) ? [200, 304] : [401];
      if (!expected.includes(status)) wrong.push(`${method} ${path} as ${user}: ${status}`);
    };
    const lane = async (): Promise<void> => {
      while (sent++ < 1_000) await ask();
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    expect(wrong).toEqual([]);
    expect(tags.size).toBeGreaterThan(1);
  }, 60_000);

  it("reports how to log in", async () => {
    const { headers } = await server.ask(picture("closed/a.png"));
    expect(headers["www-authenticate"]).toBe('Bearer realm="Images"');
  });

  it("rejects requests signed with another key, and nothing is shown", async () => {
    await stopDelegate();
    // Another identifier: nothing was cached for it.
    expect(await statusOf(picture("large.png"), "ann")).toBe(500);
    await startDelegate("another secret, as long");
    for (let n = 0; n < 8; n++) expect(await statusOf(picture(`none-${n}.png`), "ann")).toBe(500);
    await stopDelegate();
    await startDelegate();
    expect(await answered(picture("large.png"))).toBe(200);
  }, 60_000);
});

describe("the status of a server with a delegate over HTTP", () => {
  it("lists it among what is checked", async () => {
    const server = await startServer(drawPictures, {
      "delegate.http.url": `http://127.0.0.1:${await freePort()}`,
      "delegate.http.secret": secret,
      "endpoint.api.enabled": true,
      "endpoint.api.username": "me",
      "endpoint.api.secret": "hunter2hunter2",
    });
    try {
      const login = Buffer.from("me:hunter2hunter2").toString("base64");
      const answer = await server.ask("/status", { headers: { authorization: `Basic ${login}` } });
      expect(answer.status).toBe(200);
      expect(JSON.stringify(json(answer))).toContain('"delegate.http"');
      expect(`${answer.body}`).not.toContain(secret);
    } finally {
      await server.close();
    }
  });
});
