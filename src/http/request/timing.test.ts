import type { FastifyInstance } from "fastify";
import { afterEach, describe, expect, it } from "vitest";
import { fakeImages } from "../../../test/fake-images.ts";
import { Config, type Snapshot } from "../../config/store.ts";
import { type LogFields, silent } from "../../core/log.ts";
import type { AccessEntry } from "../../logging/access.ts";
import type { Images } from "../../service/images.ts";
import { createServer } from "../server.ts";

const image = "/iiif/3/maps%2Fa/full/max/0/default.jpg";
const information = "/iiif/3/maps%2Fa/info.json";
const stranger = "203.0.113.9";

const open: FastifyInstance[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((app) => app.close()));
});

const start = (values: Snapshot = {}, changes: Partial<Images> = {}) => {
  const accessed: AccessEntry[] = [];
  const logged: { level: "debug" | "warn"; message: string; fields: LogFields | undefined }[] = [];
  const app = createServer({
    config: new Config(values),
    images: { ...fakeImages(), ...changes },
    outputs: () => ["jpg"],
    log: {
      ...silent,
      debug: (message, fields) => logged.push({ level: "debug", message, fields }),
      warn: (message, fields) => logged.push({ level: "warn", message, fields }),
    },
    access: (entry) => accessed.push(entry),
    productVersion: "1.0.0",
  });
  open.push(app);
  return { app, accessed, logged };
};

/** The Server-Timing header of a response as a map of names to milliseconds. */
const timingsOf = (header: unknown): Record<string, number> => {
  if (typeof header !== "string") throw new Error(`expected a header, got ${String(header)}`);
  return Object.fromEntries(
    header.split(", ").map((metric) => {
      const found = /^([a-z]+);dur=(\d+(?:\.\d{1,3})?)$/.exec(metric);
      if (found === null) throw new Error(`expected name;dur=ms, got ${metric}`);
      return [found[1], Number(found[2])];
    }),
  );
};

describe("Server-Timing", () => {
  it("is absent unless enabled", async () => {
    const { app } = start();
    expect((await app.inject(image)).headers).not.toHaveProperty("server-timing");
  });

  it.each([
    { whom: "off", remoteAddress: "127.0.0.1", headers: {}, told: false },
    { whom: "trusted", remoteAddress: "127.0.0.1", headers: {}, told: true },
    { whom: "trusted", remoteAddress: "10.1.2.3", headers: {}, told: false },
    { whom: "trusted", remoteAddress: stranger, headers: {}, told: false },
    {
      whom: "trusted",
      remoteAddress: "127.0.0.1",
      headers: { "x-forwarded-for": stranger },
      told: false,
    },
    {
      whom: "trusted",
      remoteAddress: "127.0.0.1",
      headers: { forwarded: `for=${stranger}` },
      told: false,
    },
    {
      whom: "trusted",
      remoteAddress: stranger,
      headers: { "x-forwarded-for": "127.0.0.1" },
      told: false,
    },
    { whom: "all", remoteAddress: stranger, headers: {}, told: true },
  ])("for $whom: $remoteAddress with $headers gets it: $told", async (asked) => {
    const { whom, told, ...from } = asked;
    const { app } = start({ "http.server_timing": whom });
    for (const url of [image, information]) {
      const { headers } = await app.inject({ url, ...from });
      expect("server-timing" in headers).toBe(told);
    }
  });

  it.each([
    { url: image, headers: {}, status: 200 },
    { url: image, headers: { "if-none-match": "*" }, status: 304 },
    { url: information, headers: {}, status: 200 },
    { url: information, headers: { "if-none-match": "*" }, status: 304 },
    { url: image.replace("maps%2Fa", "missing"), headers: {}, status: 404 },
    { url: "/iiif/3/missing/info.json", headers: {}, status: 404 },
    { url: "/iiif/3/a/b/c/d/e", headers: {}, status: 400 },
    { url: "/elsewhere", headers: {}, status: 404 },
  ])(
    "has stages that add up to at most its total for $status of $url",
    async ({ url, headers, status }) => {
      const { app } = start({ "http.server_timing": "all" });
      const answer = await app.inject({ url, headers });
      expect(answer.statusCode).toBe(status);
      const { total = Number.NaN, ...stages } = timingsOf(answer.headers["server-timing"]);
      const sum = Object.values(stages).reduce((one, other) => one + other, 0);
      expect(sum).toBeGreaterThan(0);
      // Each figure is rounded separately.
      expect(Math.abs(total - sum)).toBeLessThan(0.01);
    },
  );

  it("names the way that made the image", async () => {
    const draw: Images["draw"] = (_, { timings }) => {
      timings?.answeredBy("recoded");
      return new Uint8Array(1);
    };
    const { app, accessed, logged } = start({ "http.server_timing": "all" }, { draw });
    const { headers } = await app.inject(image);
    expect(headers["server-timing"]).toMatch(/, way;desc=recoded$/);
    expect(accessed).toMatchObject([{ way: "recoded" }]);
    expect(logged).toMatchObject([{ fields: { way: "recoded" } }]);
    const kept = await start({ "http.server_timing": "all" }).app.inject(image);
    expect(kept.headers["server-timing"]).not.toContain("way");
  });

  it("follows the current setting", async () => {
    const config = new Config();
    const app = createServer({
      config,
      images: fakeImages(),
      outputs: () => ["jpg"],
      log: silent,
      access: () => {},
      productVersion: "1.0.0",
    });
    open.push(app);
    expect((await app.inject(image)).headers).not.toHaveProperty("server-timing");
    config.replace({ "http.server_timing": "all" });
    expect((await app.inject(image)).headers).toHaveProperty("server-timing");
  });
});

describe("the logs", () => {
  it("contain image and stages of each request", async () => {
    const { app, accessed, logged } = start();
    const answer = await app.inject(image);
    const request = answer.headers["x-request-id"];
    expect(accessed).toMatchObject([
      { request, identifier: "maps/a", status: 200, stages: { parse: expect.any(Number) } },
    ]);
    expect(logged).toMatchObject([
      {
        level: "debug",
        message: `GET ${image} was answered with 200`,
        fields: { request, stages: { answer: expect.any(Number) } },
      },
    ]);
  });

  it("contain no image for requests without one", async () => {
    const { app, accessed } = start();
    await app.inject("/health");
    expect(accessed).toHaveLength(1);
    expect(accessed[0]).not.toHaveProperty("identifier");
  });

  /** Renders only after the server's clock has advanced by more than a hundredth of a second. */
  const draw: Images["draw"] = async (_, { timings }) => {
    timings?.enter("draw");
    const began = performance.now();
    while (performance.now() - began < 11) await new Promise((resolve) => setTimeout(resolve, 2));
    return new Uint8Array(1);
  };
  const slow = (logged: readonly { readonly level: string }[]) =>
    logged.filter(({ level }) => level === "warn");

  it("report the stages of a slow response", async () => {
    const { app, logged } = start({ "log.slow_request": 0.01 }, { draw });
    await app.inject(image);
    expect(slow(logged)).toMatchObject([
      {
        message: expect.stringMatching(/^Slow: \d+\.\d s for GET \/iiif\/3\/maps%2Fa\//),
        fields: { identifier: "maps/a", status: 200, stages: { draw: expect.any(Number) } },
      },
    ]);
    const [{ fields } = { fields: undefined }] = logged.filter(({ level }) => level === "warn");
    expect(fields).toMatchObject({ stages: { draw: expect.toSatisfy((ms) => ms > 10) } });
  });

  it.each([0, 3_000])("report nothing where slow starts at %d s", async (seconds) => {
    const { app, logged } = start({ "log.slow_request": seconds }, { draw });
    await app.inject(image);
    expect(slow(logged)).toEqual([]);
  });

  it("name the stage in which a request was aborted", async () => {
    const { app, logged } = start({ "http.request_timeout": 0.05, "log.slow_request": 0.02 });
    const { statusCode } = await app.inject("/iiif/3/slow/full/max/0/default.jpg");
    expect(statusCode).toBe(504);
    expect(logged.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^Slow: \d+\.\d s for GET \/iiif\/3\/slow\//),
    );
  });
});
