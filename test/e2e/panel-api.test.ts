import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { basic, type Panelled, startPanelled } from "./panelled.ts";

let server: Panelled;
beforeAll(async () => {
  server = await startPanelled([
    "cache.server.derivative.enabled = true",
    "cache.server.derivative = HeapCache",
    "slash_substitute = ",
    "https.key_password = shut",
  ]);
  await server.enter();
});
afterAll(() => server.close());

/** A response of the panel. */
const good = async (method: "GET" | "POST" | "PUT", path: string, body?: unknown) => {
  const told = await server.call(method, path, { body });
  expect([200, 202], `${path}: ${told.text}`).toContain(told.status);
  expect(told.headers).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-frame-options": "DENY",
  });
  expect(told.headers["www-authenticate"]).toBeUndefined();
  return told.json();
};

const bad = async (
  method: "GET" | "POST" | "PUT",
  path: string,
  { body, status = 400 }: { readonly body?: unknown; readonly status?: number } = {},
) => {
  const told = await server.call(method, path, { body });
  expect(told.status, `${path}: ${told.text}`).toBe(status);
  expect(told.headers["cache-control"]).toBe("no-store");
  const { detail } = told.json();
  expect(told.json()).toMatchObject({
    status,
    title: expect.any(String),
    detail: expect.any(String),
  });
  return String(detail);
};

describe("the panel's data", () => {
  it("includes the status of all processes", async () => {
    const status = await good("GET", "status");
    expect(status).toMatchObject({
      version: expect.any(String),
      startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      workersWanted: 1,
      workers: [{ worker: 1, pid: process.pid }],
      lanes: { small: { running: 0 }, large: { running: 0 } },
    });
    expect(status.formats.length).toBeGreaterThan(5);
  });

  it("includes figures over time", async () => {
    const figures = await good("GET", "figures");
    expect(figures).toMatchObject({
      intervals: expect.any(Array),
      recent: expect.any(Array),
      slowest: expect.any(Array),
    });
  });

  it("includes the health of all dependencies, whatever /health reports", async () => {
    const { color, checks } = await good("GET", "health");
    expect(color).toBe("GREEN");
    expect(checks.length).toBeGreaterThan(1);
    expect((await server.ask("GET", "/health")).json().checks).toHaveLength(1);
  });

  it("includes the log, from an entry on, by level and text", async () => {
    await server.enter();
    const all = await good("GET", "logs");
    expect(all.entries.at(-1)).toMatchObject({ level: "info", message: expect.any(String) });
    const found = await good("GET", "logs?text=LOGIN%20TO&level=info&limit=1");
    expect(found.entries).toHaveLength(1);
    expect(found.entries[0].message).toBe("Login to the control panel");
    expect((await good("GET", `logs?after=${all.last}&level=&text=`)).entries).toEqual([]);
    expect((await good("GET", "logs?level=error")).entries).toEqual([]);
  });

  it.each([
    ["after=-1", "after"],
    ["after=x", "after"],
    ["limit=1e3", "limit"],
    ["limit=99999999999999999999", "limit"],
    ["level=loud", "level"],
    [`text=${"x".repeat(1_001)}`, "text"],
  ])("includes no log for an invalid query: %s", async (query, name) => {
    expect(await bad("GET", `logs?${query}`)).toContain(`${name}: expected`);
  });
});

describe("an image", () => {
  it("is described by its identifier, whatever page it names", async () => {
    for (const identifier of ["small.png", "small%2Epng", "small.png;1", "small.png;1;1:2"]) {
      const image = await good("GET", `images/${identifier}`);
      expect(image).toMatchObject({
        identifier: "small.png",
        source: "FilesystemSource",
        size: expect.any(Number),
        info: { format: "png", pages: [expect.any(Object)] },
        inMemory: { entries: 0, bytes: 0 },
      });
    }
  });

  it("is counted in the memory caches", async () => {
    await server.ask("GET", "/iiif/3/small.png/full/20,/0/default.jpg");
    const { inMemory } = await good("GET", "images/small.png");
    expect(inMemory.entries).toBe(1);
    expect(inMemory.bytes).toBeGreaterThan(100);
  });

  it.each([
    ["none.png", 404],
    ["a%2Fb%2Fnone.png", 404],
    [`${"long".repeat(100)}.png`, 404],
    ["..%2F..%2Fetc%2Fpasswd", 404],
    ["small.png/more", 400],
    ["%ff", 400],
    ["%00", 400],
    ["small.png;1;2:1", 400],
    ["x".repeat(1_001), 400],
  ])("is reported as missing or unreadable: %#", async (identifier, status) => {
    await bad("GET", `images/${identifier}`, { status });
  });
});

describe("tasks", () => {
  it("are started, listed and found", async () => {
    const begun = await server.call("POST", "tasks", {
      body: { verb: "PurgeItemFromCache", identifier: "small.png" },
    });
    expect(begun.status).toBe(202);
    const { uuid } = begun.json();
    expect(begun.json()).toMatchObject({
      verb: "PurgeItemFromCache",
      identifier: "small.png",
      queuedAt: expect.any(String),
    });
    expect((await good("GET", "tasks"))[0].uuid).toBe(uuid);
    expect(await good("GET", `tasks/${uuid}`)).toMatchObject({
      uuid,
      progress: expect.any(Number),
    });
  });

  it("need a known verb, and an identifier where required", async () => {
    expect(await bad("POST", "tasks", { body: { verb: "Sleep" } })).toContain("verb: expected");
    expect(await bad("POST", "tasks", { body: { verb: "PurgeItemFromCache" } })).toContain(
      "identifier: expected",
    );
    for (const body of ["", "{", "[]", "null"]) await bad("POST", "tasks", { body });
  });

  it("are reported as unknown", async () => {
    for (const uuid of ["0a0a0a0a-1b1b-4c4c-8d8d-2e2e2e2e2e2e", "none", "a/b", "%ff"])
      await bad("GET", `tasks/${uuid}`, { status: uuid === "%ff" ? 400 : 404 });
  });
});

describe("the configuration", () => {
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect, and fail where it is not there
  const entries = async (): Promise<any[]> =>
    (await good("GET", "configuration")).groups.flatMap(
      ({ entries }: { entries: unknown[] }) => entries,
    );
  const shownValue = async (key: string) =>
    (await entries()).find((entry) => entry.key === key)?.value;

  it("contains every key with its definition, and no secret", async () => {
    const all = await entries();
    expect(all.find(({ key }) => key === "endpoint.admin.enabled")).toMatchObject({
      definition: { type: "boolean", default: false, doc: expect.any(String) },
      value: "true",
      default: "false",
      origin: { layer: "file" },
      secret: false,
    });
    expect(all.find(({ key }) => key === "endpoint.admin.secret")).toMatchObject({
      value: "(masked)",
      secret: true,
    });
    expect(JSON.stringify(all)).not.toContain("wörd");
    expect(JSON.stringify(all)).not.toContain("shut");
  });

  it("is checked without being changed", async () => {
    const check = (body: unknown) => good("POST", "configuration/check", body);
    expect(await check({ max_pixels: 5, "endpoint.admin.secret": "(masked)" })).toEqual({
      problems: [],
    });
    const { problems } = await check({ max_pixels: "many", nonsense: 1 });
    expect(problems).toEqual([
      { key: "max_pixels", message: expect.stringContaining("many") },
      { key: "nonsense", message: expect.any(String) },
    ]);
    expect(await shownValue("max_pixels")).not.toBe("5");
    for (const body of ["", "{", "[]"]) await bad("POST", "configuration/check", { body });
  });

  it("is changed at once, and in the file, or not at all", async () => {
    const told = await good("PUT", "configuration", {
      max_pixels: 1_234_567,
      "http.workers": 3,
    });
    expect(told).toEqual({
      ok: true,
      changed: ["max_pixels", "http.workers"],
      pending: ["http.workers"],
      overridden: [],
      warnings: [],
      written: true,
    });
    expect(await shownValue("max_pixels")).toBe("1234567");
    expect(await server.text()).toContain("max_pixels = 1234567");
    const refused = await server.call("PUT", "configuration", {
      body: { max_pixels: 7, nonsense: true },
    });
    expect(refused.status).toBe(400);
    expect(refused.json()).toEqual({
      ok: false,
      problems: [{ key: "nonsense", message: expect.any(String) }],
    });
    expect(await shownValue("max_pixels")).toBe("1234567");
    for (const body of ["", "{", "[1]", `"${"x".repeat(10)}"`])
      await bad("PUT", "configuration", { body });
    await bad("PUT", "configuration", { body: "x".repeat(1_100_000), status: 413 });
  });

  it("takes effect on the next request", async () => {
    const status = async () =>
      (await server.ask("GET", "/iiif/3/small.png/full/max/0/default.jpg", { login: null })).status;
    expect(await status()).toBe(200);
    await good("PUT", "configuration", { "endpoint.iiif.3.enabled": false });
    expect(await status()).toBe(403);
    await good("PUT", "configuration", { "endpoint.iiif.3.enabled": null });
    expect(await status()).toBe(200);
  });
});

describe("requests of Cantaloupe's panel", () => {
  it("are answered as by Cantaloupe: GET /admin/status", async () => {
    const told = await server.ask("GET", "/admin/status", { login: basic });
    expect(told.status).toBe(200);
    expect(told.headers["cache-control"]).toBe("no-store");
    const { application, infoCache, vm, tasks } = told.json();
    expect(application.version).toEqual(expect.any(String));
    expect(infoCache).toEqual({ size: expect.any(Number), maxSize: expect.any(Number) });
    expect(vm.usedHeapPercent).toBeLessThanOrEqual(1);
    for (const name of ["usedHeapBytes", "freeHeapBytes", "totalHeapBytes", "maxHeapBytes"]) {
      expect(Number.isInteger(vm[name]), name).toBe(true);
      expect(vm[name], name).toBeLessThan(100_000);
    }
    expect(vm.uptime).toMatch(/^(\d+ (day|hour|minute|second)s?(, )?)+$/);
    expect(tasks[0]).toMatchObject({
      verb: expect.any(String),
      done: expect.any(Boolean),
      cancelled: false,
      queued_at: expect.any(String),
    });
  });

  it("are answered as by Cantaloupe: GET and PUT /admin/configuration", async () => {
    const get = await server.ask("GET", "/admin/configuration", { login: basic });
    expect(get.json()).toMatchObject({
      "endpoint.admin.enabled": "true",
      "endpoint.admin.secret": "(masked)",
    });
    const put = (body: unknown) =>
      server.ask("PUT", "/admin/configuration", { login: basic, body });
    // The report is sent back whole, including masks, with one field changed.
    const told = await put({ ...get.json(), "endpoint.landing.enabled": "false" });
    expect(told.status).toBe(200);
    expect(told.json()).toMatchObject({ changed: ["endpoint.landing.enabled"] });
    expect(await server.text()).toContain("endpoint.admin.secret = pass:wörd");
    const wrong = await put({ nonsense: 1, max_pixels: "x" });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain("nonsense");
    for (const body of ["", "{", "[]"]) expect((await put(body)).status).toBe(400);
  });

  it("are not accepted with the page's session", async () => {
    const { cookie } = server.keys;
    const told = await server.ask("GET", "/admin/status", { login: null, headers: { cookie } });
    expect(told.status).toBe(401);
    expect(told.headers["www-authenticate"]).toBe(
      'Basic realm="Vitrine control panel", charset="UTF-8"',
    );
  });
});
