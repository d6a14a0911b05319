import { once } from "node:events";
import { copyFile, utimes } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AccessEntry } from "../../src/logging/access.ts";
import { type Answer, type How, startServer, type TestServer } from "./app.ts";

let server: TestServer;
let prepared = 0;
let entries: AccessEntry[] = [];

const memory = {
  "cache.server.derivative.enabled": true,
  "cache.server.derivative": "HeapCache",
} as const;

const plain = async (file: string, blue: number): Promise<void> => {
  await sharp({
    create: { width: 300, height: 200, channels: 3, background: { r: 9, g: 99, b: blue } },
  })
    .png()
    .toFile(file);
};

beforeEach(async () => {
  prepared = 0;
  entries = [];
  server = await startServer((folder) => plain(join(folder, "a.png"), 10), memory, {
    access: (entry) => entries.push(entry),
    around: {
      source: (source) => source,
      images: (images) => ({
        ...images,
        prepare: (...asked) => {
          prepared++;
          return images.prepare(...asked);
        },
        prepareSync: (...asked) => {
          prepared++;
          return images.prepareSync(...asked);
        },
      }),
    },
  });
});
afterEach(() => server.close());

const path = "/iiif/3/a.png/0,0,100,100/50,/0/default.jpg";
const ask = (how?: How, target = path): Promise<Answer> => server.ask(target, how);

/** A response, and whether it was replayed. */
const again = async (
  how?: How,
  target = path,
): Promise<Answer & { readonly replayed: boolean }> => {
  const before = prepared;
  const answer = await ask(how, target);
  return { ...answer, replayed: prepared === before };
};

const lasting = ({ headers }: Answer): Record<string, unknown> => {
  const { date: _, "x-request-id": __, ...rest } = headers;
  return rest;
};

describe("a response cached in memory", () => {
  it("is replayed, identical to the last header", async () => {
    const first = await ask();
    const second = await ask();
    const third = await again();
    expect(third.replayed).toBe(true);
    expect(third.status).toBe(200);
    expect(third.body.equals(first.body)).toBe(true);
    expect(lasting(third)).toEqual(lasting(second));
    expect(third.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(third.headers["x-request-id"]).not.toBe(second.headers["x-request-id"]);
  });

  it("is logged in the access log like any other", async () => {
    await ask();
    await ask({ headers: { "user-agent": "one", referer: "two" } });
    await again({ headers: { "user-agent": "one", referer: "two" } });
    await expect.poll(() => entries.length).toBe(3);
    const [, told, replayed] = entries;
    const same = (entry: AccessEntry | undefined) =>
      entry && { ...entry, time: 0, milliseconds: 0, request: "", stages: {} };
    expect(same(replayed)).toEqual(same(told));
    expect(replayed?.bytes).toBeGreaterThan(100);
  });

  it("has its timings if everybody gets them", async () => {
    server.config.replace({ ...server.config.current, "http.server_timing": "all" });
    await ask();
    await ask();
    const third = await again();
    expect(third.replayed).toBe(true);
    expect(third.headers["server-timing"]).toMatch(/cache;dur=[\d.]+.*total;dur=/);
  });

  it("is replayed for any credentials if none are required", async () => {
    await ask();
    for (const headers of [{ authorization: "Basic YTpi" }, { cookie: "a=b" }])
      expect((await again({ headers })).replayed).toBe(true);
  });

  it.each([
    { name: "if-none-match", value: '"something else"' },
    { name: "if-modified-since", value: "Thu, 01 Jan 1970 00:00:00 GMT" },
    { name: "x-forwarded-host", value: "elsewhere.example" },
    { name: "x-forwarded-proto", value: "https" },
    { name: "x-forwarded-port", value: "8443" },
    { name: "x-forwarded-path", value: "/prefix" },
    { name: "x-forwarded-id", value: "other" },
    { name: "x-forwarded-for", value: "192.0.2.1" },
    { name: "forwarded", value: "host=elsewhere.example" },
  ])("is not replayed without checking $name", async ({ name, value }) => {
    await ask();
    await ask();
    expect((await again({ headers: { [name]: value } })).replayed).toBe(false);
    expect((await again()).replayed).toBe(true);
  });

  it("is 304 for a client that has it", async () => {
    const { headers } = await ask();
    await ask();
    const { status, replayed } = await again({ headers: { "if-none-match": headers.etag ?? "" } });
    expect({ status, replayed }).toEqual({ status: 304, replayed: false });
  });

  it("differs for another host", async () => {
    await ask();
    await ask();
    const other = await again({ headers: { host: "other.example" } });
    expect(other.replayed).toBe(false);
    expect(other.headers["link"]).toContain("http://other.example/iiif/3/a.png");
  });

  it("is made again after a change of the settings", async () => {
    await ask();
    await ask();
    server.config.replace({
      ...server.config.current,
      "cache.client.enabled": true,
      "cache.client.max_age": 77,
    });
    const changed = await again();
    expect(changed.replayed).toBe(false);
    expect(changed.headers["cache-control"]).toContain("max-age=77");
    expect((await again()).headers["cache-control"]).toContain("max-age=77");
  });

  it("is rendered again at once if the source is checked first and the image has changed", async () => {
    server.config.replace({ ...server.config.current, "cache.server.resolve_first": true });
    const first = await ask();
    await ask();
    const file = join(server.folder, "a.png");
    await plain(join(server.folder, "b.png"), 200);
    await copyFile(join(server.folder, "b.png"), file);
    await utimes(file, 1_000, 1_000);
    const changed = await again();
    expect(changed.replayed).toBe(false);
    expect(changed.headers.etag).not.toBe(first.headers.etag);
  });

  it("is not used for cache=nocache and cache=recache", async () => {
    await ask();
    await ask();
    for (const argument of ["cache=nocache", "cache=recache"])
      for (let time = 0; time < 2; time++)
        expect((await again({}, `${path}?${argument}`)).replayed).toBe(false);
  });

  it("is not replayed for a request with two hosts", async () => {
    await ask();
    const answered = await ask();
    const { host, hostname, port } = new URL(server.base);
    const socket = connect(Number(port), hostname);
    socket.end(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nHost: b\r\nConnection: close\r\n\r\n`);
    const [first] = await once(socket.setEncoding("latin1"), "data");
    socket.destroy();
    expect(answered.status).toBe(200);
    expect(first).toMatch(/^HTTP\/1\.1 400 /);
  });

  it("is replayed for GET only", async () => {
    await ask();
    await ask();
    const head = await again({ method: "HEAD" });
    expect({ replayed: head.replayed, length: head.body.length }).toEqual({
      replayed: false,
      length: 0,
    });
  });
});
