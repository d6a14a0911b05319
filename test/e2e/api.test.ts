import { afterEach, describe, expect, it, vi } from "vitest";
import { type Administered, secret, startAdministered } from "./administered.ts";
import { imagePath } from "./requests.ts";

const servers: Administered[] = [];
const start = async (lines: readonly string[] = []): Promise<Administered> => {
  const server = await startAdministered(lines);
  servers.push(server);
  return server;
};
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const changeAll = "endpoint.api.change_file_only_keys = true";
const heap = ["cache.server.derivative.enabled = true", "cache.server.derivative = HeapCache"];
const trusting = ["cache.server.resolve_first = false"];

describe("GET /status", () => {
  it("has Cantaloupe's fields in Cantaloupe's order, and more", async () => {
    const server = await start(heap);
    await server.ask("GET", imagePath(3, "small.png"));
    const told = await server.ask("GET", "/status");
    expect(told.status).toBe(200);
    expect(told.headers["content-type"]).toBe("application/json; charset=utf-8");
    const status = told.json();
    expect(Object.keys(status).slice(0, 3)).toEqual(["application", "infoCache", "vm"]);
    expect(Object.keys(status.vm)).toEqual([
      "vendor",
      "name",
      "version",
      "info",
      "numProcessors",
      "usedHeapBytes",
      "freeHeapBytes",
      "totalHeapBytes",
      "maxHeapBytes",
      "usedHeapPercent",
      "uptimeMsec",
    ]);
    expect(status.vm.usedHeapPercent).toBeGreaterThan(0);
    expect(status.vm.usedHeapPercent).toBeLessThan(1);
    for (const name of ["usedHeapBytes", "freeHeapBytes", "totalHeapBytes", "maxHeapBytes"])
      expect(Number.isInteger(status.vm[name]), name).toBe(true);
    expect(status.infoCache.size).toBe(1);
    expect(status.infoCache.maxSize).toBeGreaterThan(100);
    expect(status.server).toMatchObject({ name: "Vitrine", workersWanted: 1 });
    expect(status.server.workers).toHaveLength(1);
    expect(status.sources).toEqual([{ kind: "FilesystemSource", served: ["png"], origins: [] }]);
    const memory = status.caches.find(({ layer }: { layer: string }) => layer === "memory");
    expect(memory).toMatchObject({ kind: "HeapCache", entries: 1, misses: 1, hits: 0, hitRate: 0 });
    const tif = status.formats.find(({ format }: { format: string }) => format === "tif");
    expect(tif).toMatchObject({ name: "TIFF", read: { available: true } });
    expect(status.lanes.small.maxRunning).toBeGreaterThan(0);
  });

  it("warns of unsafe settings and pending restarts", async () => {
    const server = await start(["print_stack_trace_on_error_pages = true"]);
    await server.ask("PUT", "/configuration", { body: { "http.workers": 3 } });
    const { warnings } = (await server.ask("GET", "/status")).json();
    expect(warnings.join("\n")).toContain("print_stack_trace_on_error_pages");
    expect(warnings.join("\n")).toContain("restart: http.workers");
  });
});

describe("GET /configuration", () => {
  it("returns the file's settings as text, without secrets and blank values", async () => {
    const server = await start([
      "max_pixels = 1000",
      "max_scale =",
      "S3Source.secret_key = hunter2",
      "RedisCache.uri = redis://me:hunter2@localhost/0",
    ]);
    const configuration = (await server.ask("GET", "/configuration")).json();
    expect(configuration).toMatchObject({
      max_pixels: "1000",
      "endpoint.api.enabled": "true",
      "endpoint.api.secret": "(masked)",
      "S3Source.secret_key": "(masked)",
    });
    expect(configuration).not.toHaveProperty("max_scale");
    expect(JSON.stringify(configuration)).not.toContain("hunter2");
  });

  it("returns secrets if configured", async () => {
    const server = await start(["endpoint.api.show_secrets = true"]);
    const configuration = (await server.ask("GET", "/configuration")).json();
    expect(configuration["endpoint.api.secret"]).toBe(secret);
  });
});

describe("PUT /configuration", () => {
  it("changes the running server at once, and the file with its comments and order", async () => {
    const server = await start(["# Limits", "max_pixels = 1000", "max_scale = 1"]);
    const before = await server.ask("GET", imagePath(3, "small.png"));
    expect(before.status).toBe(200);
    const told = await server.ask("PUT", "/configuration", {
      body: { "endpoint.iiif.3.enabled": false, max_pixels: "2000", "http.workers": 3 },
    });
    expect(told.status).toBe(200);
    expect(told.json()).toEqual({
      changed: ["endpoint.iiif.3.enabled", "max_pixels", "http.workers"],
      restart: ["http.workers"],
      overridden: [],
      warnings: [],
      written: true,
    });
    expect((await server.ask("GET", imagePath(3, "small.png"))).status).toBe(403);
    const text = await server.text();
    expect(text).toContain("# Limits\nmax_pixels = 2000\nmax_scale = 1\n");
    expect(text).toContain("endpoint.iiif.3.enabled = false");
    expect(text.startsWith("# The API\nendpoint.api.enabled = true\n")).toBe(true);
    expect(text).toContain(`endpoint.api.secret = ${secret}\n\n! Where pictures are\n`);
    expect((await server.ask("GET", "/configuration")).json()["max_pixels"]).toBe("2000");
  });

  it("keeps a secret whose mask is sent back, and rejects half a mask", async () => {
    const uri = "redis://me:hunter2@localhost/0";
    const server = await start([`RedisCache.uri = ${uri}`, changeAll]);
    const shown = (await server.ask("GET", "/configuration")).json();
    const told = await server.ask("PUT", "/configuration", { body: { ...shown, max_pixels: 5 } });
    expect(told.json().changed).toEqual(["max_pixels"]);
    expect(await server.text()).toContain(uri);
    expect(await server.text()).toContain(secret);
    const half = await server.ask("PUT", "/configuration", {
      body: { "RedisCache.uri": "redis://me:(masked)@elsewhere/0", max_scale: 2 },
    });
    expect(half.status).toBe(400);
    expect(await server.text()).not.toContain("max_scale");
  });

  it("sets a new secret, which takes effect", async () => {
    const server = await start([changeAll]);
    const body = { "endpoint.api.secret": "new:one" };
    expect((await server.ask("PUT", "/configuration", { body })).status).toBe(200);
    expect((await server.ask("GET", "/tasks")).status).toBe(401);
    expect((await server.ask("GET", "/tasks", { login: "keeper:new:one" })).status).toBe(200);
  });

  it("reports all errors, and changes nothing", async () => {
    const server = await start(["max_pixels = 1000", changeAll]);
    const before = await server.text();
    const told = await server.ask("PUT", "/configuration", {
      body: {
        max_pixels: 5,
        max_pixel: 5,
        "endpoint.iiif.min_size": "many",
        "endpoint.iiif.3.enabled": "perhaps",
        "http.port": 99_999,
        base_uri: "one\nanother = true",
        max_scale: { of: 1 },
        "http.trusted_proxies": [["loopback"]],
      },
      headers: { accept: "application/json" },
    });
    expect(told.status).toBe(400);
    const { faults } = told.json();
    for (const key of [
      "max_pixel: there is no such key",
      "endpoint.iiif.min_size: expected",
      "endpoint.iiif.3.enabled: expected true or false",
      "http.port: expected",
      "base_uri: expected",
      "max_scale: expected",
      "http.trusted_proxies: expected",
    ])
      expect(
        faults.some((fault: string) => fault.includes(key)),
        key,
      ).toBe(true);
    expect(faults).toHaveLength(7);
    expect(await server.text()).toBe(before);
    expect((await server.ask("GET", "/configuration")).json()["max_pixels"]).toBe("1000");
  });

  it.each([
    ["nothing", ""],
    ["broken JSON", '{"max_pixels": 5'],
    ["an array", "[]"],
    ["null", "null"],
    ["a text", '"max_pixels"'],
    ["a number", "5"],
    ["a key that every object has", '{"__proto__": "x", "constructor": "y"}'],
    ["nesting without end", `{"max_pixels": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
  ])("rejects %s", async (_, body) => {
    const server = await start();
    const before = await server.text();
    expect((await server.ask("PUT", "/configuration", { body })).status).toBe(400);
    expect(await server.text()).toBe(before);
  });

  it("rejects a body that is too long", async () => {
    const server = await start();
    const body = { base_uri: "x".repeat(2_000_000) };
    expect((await server.ask("PUT", "/configuration", { body })).status).toBe(413);
  });

  it("accepts an empty body, numbers, booleans, lists, and null for the default", async () => {
    const server = await start(["max_pixels = 1000", changeAll]);
    expect((await server.ask("PUT", "/configuration", { body: {} })).json().changed).toEqual([]);
    const body = {
      max_pixels: null,
      max_scale: 1.5,
      "http.trusted_proxies": ["loopback", "10.0.0.0/8"],
      "endpoint.iiif.restrict_to_sizes": true,
    };
    expect((await server.ask("PUT", "/configuration", { body })).status).toBe(200);
    const configuration = (await server.ask("GET", "/configuration")).json();
    expect(configuration).toMatchObject({
      max_scale: "1.5",
      "http.trusted_proxies": "loopback, 10.0.0.0/8",
      "endpoint.iiif.restrict_to_sizes": "true",
    });
    expect(configuration).not.toHaveProperty("max_pixels");
  });
});

const over = (server: Administered, path: string) =>
  vi.waitFor(async () => {
    const task = (await server.ask("GET", path)).json();
    expect(task.done).toBe(true);
    return task;
  });

const begin = async (server: Administered, body: object): Promise<string> => {
  const told = await server.ask("POST", "/tasks", { body });
  expect(told.status).toBe(202);
  expect(told.text).toBe("");
  const location = String(told.headers["location"]);
  expect(location).toMatch(/^http:\/\/images\.example\.org\/tasks\/[0-9a-f-]{36}$/);
  return new URL(location).pathname;
};

describe("tasks", () => {
  it("are queued, executed and reported", async () => {
    const server = await start(heap);
    await server.ask("GET", imagePath(3, "small.png"));
    const path = await begin(server, { verb: "PurgeCache", extra: "ignored" });
    expect(await over(server, path)).toEqual({
      uuid: path.slice("/tasks/".length),
      verb: "PurgeCache",
      status: "SUCCEEDED",
      done: true,
      cancelled: false,
      queued_at: expect.stringMatching(/^\d{4}-.*Z$/),
      started_at: expect.stringMatching(/^\d{4}-.*Z$/),
      stopped_at: expect.stringMatching(/^\d{4}-.*Z$/),
      progress: 1,
      removed: { entries: 1 },
      exception: null,
    });
    const later = await begin(server, { verb: "PurgeInfoCache" });
    const list = (await server.ask("GET", "/tasks")).json();
    expect(list.map(({ uuid }: { uuid: string }) => `/tasks/${uuid}`)).toEqual([later, path]);
  });

  it.each([
    ["PurgeCache", undefined, { pictures: 0, infos: 0 }],
    ["PurgeInfoCache", undefined, { pictures: 2, infos: 0 }],
    ["PurgeInfosFromCache", undefined, { pictures: 2, infos: 0 }],
    ["PurgeInvalidFromCache", undefined, { pictures: 2, infos: 2 }],
    ["PurgeItemFromCache", "small.png", { pictures: 1, infos: 1 }],
    ["PurgeItemFromCache", "none.png", { pictures: 2, infos: 2 }],
  ])("do what %s %s says", async (verb, identifier, left) => {
    const server = await start([...heap, ...trusting]);
    for (const name of ["small.png", "large.png"])
      expect((await server.ask("GET", imagePath(3, name))).status).toBe(200);
    await over(server, await begin(server, { verb, identifier }));
    const { caches } = (await server.ask("GET", "/status")).json();
    const held = Object.fromEntries(
      caches.map(({ layer, entries }: { layer: string; entries: number }) => [layer, entries]),
    );
    expect(held).toMatchObject({ memory: left.pictures, infos: left.infos });
  });

  it.each([
    ["nothing", ""],
    ["broken JSON", "{"],
    ["an array", "[]"],
    ["no verb", "{}"],
    ["an unknown verb", '{"verb": "Purge"}'],
    ["a verb that every object has", '{"verb": "constructor"}'],
    ["a verb that is no text", '{"verb": ["PurgeCache"]}'],
    ["no identifier", '{"verb": "PurgeItemFromCache"}'],
    ["no identifier to make pyramids of", '{"verb": "MakePyramid"}'],
    ["no identifier to delete pyramids of", '{"verb": "PurgePyramid"}'],
    ["a blank identifier", '{"verb": "PurgeItemFromCache", "identifier": ""}'],
    ["an identifier that is no text", '{"verb": "PurgeItemFromCache", "identifier": 5}'],
  ])("are rejected: %s", async (_, body) => {
    const server = await start();
    const told = await server.ask("POST", "/tasks", { body });
    expect(told.status).toBe(400);
    expect(told.text).toContain("expected");
    expect((await server.ask("GET", "/tasks")).json()).toEqual([]);
  });

  it.each(["0a0a0a0a-1b1b-4c4c-8d8d-2e2e2e2e2e2e", "x", "%00", "a%2Fb", "..%2Fstatus"])(
    "are unknown: %s",
    async (uuid) => {
      const server = await start();
      expect((await server.ask("GET", `/tasks/${uuid}`)).status).toBe(404);
    },
  );

  it("have a public address in Location", async () => {
    const server = await start(["base_uri = https://images.example.com/archive"]);
    const told = await server.ask("POST", "/tasks", { body: { verb: "PurgeCache" } });
    expect(told.headers["location"]).toMatch(/^https:\/\/images\.example\.com\/archive\/tasks\//);
  });
});
