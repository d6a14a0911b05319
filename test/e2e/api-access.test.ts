import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Administered, secret, startAdministered, username } from "./administered.ts";

let server: Administered;
beforeAll(async () => {
  server = await startAdministered();
});
afterAll(() => server.close());

const uuid = "0a0a0a0a-1b1b-4c4c-8d8d-2e2e2e2e2e2e";
const routes = [
  ["GET", "/status"],
  ["HEAD", "/status"],
  ["GET", "/configuration"],
  ["PUT", "/configuration"],
  ["GET", "/tasks"],
  ["POST", "/tasks"],
  ["GET", `/tasks/${uuid}`],
  ["DELETE", `/tasks/${uuid}`],
  ["GET", "/pyramids"],
] as const;

describe("access to the API", () => {
  it.each(routes)("is denied without credentials: %s %s", async (method, path) => {
    const told = await server.ask(method, path, { login: null, body: "{" });
    expect(told.status).toBe(401);
    expect(told.headers["www-authenticate"]).toBe('Basic realm="Vitrine API", charset="UTF-8"');
    expect(told.headers["cache-control"]).toContain("no-cache");
    expect(told.headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("is denied for wrong credentials and granted for right ones, even with a colon in the password", async () => {
    for (const login of [`${username}:open`, `other:${secret}`, ":", `${username}:`, secret])
      expect((await server.ask("GET", "/tasks", { login, headers: from(1) })).status).toBe(401);
    expect((await server.ask("GET", "/tasks", { headers: from(2) })).status).toBe(200);
    const authorization = `bAsIc ${Buffer.from(`${username}:${secret}`).toString("base64")}`;
    const told = await server.ask("GET", "/tasks", { login: null, headers: { authorization } });
    expect(told.status).toBe(200);
    expect(told.headers["www-authenticate"]).toBeUndefined();
  });

  it("is denied during repeated guessing, right or wrong, for a while", async () => {
    const guess = (login: string) => server.ask("GET", "/tasks", { login, headers: from(3) });
    for (let n = 0; n < 5; n++) expect((await guess("a:b")).status).toBe(401);
    const held = await server.ask("GET", "/tasks", { headers: from(3) });
    expect(held.status).toBe(429);
    expect(Number(held.headers["retry-after"])).toBeGreaterThan(0);
    expect((await server.ask("GET", "/tasks", { headers: from(4) })).status).toBe(200);
  });

  it("is granted to anybody for OPTIONS", async () => {
    for (const [path, allow] of [
      ["/status", "GET, HEAD, OPTIONS"],
      ["/configuration", "GET, HEAD, PUT, OPTIONS"],
      ["/tasks", "GET, HEAD, POST, OPTIONS"],
      [`/tasks/${uuid}`, "GET, HEAD, DELETE, OPTIONS"],
      ["/pyramids", "GET, HEAD, OPTIONS"],
    ] as const) {
      const told = await server.ask("OPTIONS", path, { login: null });
      expect(told.status).toBe(204);
      expect(told.headers["allow"]).toBe(allow);
    }
  });

  it("is denied while the API is disabled, or has no password", async () => {
    const blank = await startAdministered(["endpoint.api.secret = "]);
    const off = await startAdministered();
    try {
      await off.file.set({ "endpoint.api.enabled": false });
      for (const [method, path] of [
        ...routes,
        ["OPTIONS", "/status"],
        ["GET", "/openapi.json"],
      ] as const)
        expect((await off.ask(method, path)).status).toBe(403);
      await blank.file.set({ "endpoint.api.secret": "" });
      expect((await blank.ask("GET", "/status", { login: `${username}:` })).status).toBe(401);
    } finally {
      await blank.close();
      await off.close();
    }
  });
});

describe("unknown routes and methods", () => {
  it.each([
    ["DELETE", "/tasks"],
    ["POST", "/status"],
    ["PUT", "/tasks"],
    ["PUT", `/tasks/${uuid}`],
    ["POST", "/pyramids"],
    ["POST", "/configuration"],
    ["PUT", "/health"],
  ] as const)("are not allowed: %s %s", async (method, path) => {
    const told = await server.ask(method, path);
    expect(told.status).toBe(405);
    expect(told.headers["allow"]).toContain("GET");
  });

  it("are reported in JSON if requested", async () => {
    const headers = { accept: "application/json" };
    const told = await server.ask("GET", "/tasks/none", { headers });
    expect(told.status).toBe(404);
    expect(told.json()).toMatchObject({ status: 404, message: expect.stringContaining("none") });
  });
});

describe("GET /openapi.json", () => {
  it("describes every existing route, and no other", async () => {
    const told = await server.ask("GET", "/openapi.json", { login: null });
    expect(told.status).toBe(200);
    const { openapi, paths, components } = told.json();
    expect(openapi).toBe("3.1.0");
    const described = Object.entries<object>(paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((name) => name !== "parameters")
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(
      [
        "GET /status",
        "GET /configuration",
        "PUT /configuration",
        "GET /tasks",
        "POST /tasks",
        "GET /tasks/{uuid}",
        "DELETE /tasks/{uuid}",
        "GET /pyramids",
        "GET /health",
        "GET /livez",
        "GET /readyz",
        "GET /openapi.json",
      ].sort(),
    );
    for (const one of described) {
      const [method, path = ""] = one.split(" ");
      const told = await server.ask(method as "GET", path.replace("{uuid}", uuid), { body: "x" });
      const responses = Object.keys(paths[path][method?.toLowerCase() ?? ""].responses);
      expect(responses, one).toContain(String(told.status));
      expect(told.status, one).not.toBe(405);
    }
    for (const [, name] of told.text.matchAll(/"#\/components\/schemas\/(\w+)"/g))
      expect(components.schemas, name).toHaveProperty(name ?? "");
  });

  it("describes the actual responses", async () => {
    const { paths, components } = (await server.ask("GET", "/openapi.json")).json();
    for (const path of ["/status", "/configuration", "/health"]) {
      const { schema } = paths[path].get.responses["200"].content["application/json"];
      const { required = [], properties } = components.schemas[schema.$ref.split("/").at(-1)];
      const body = (await server.ask("GET", path)).json();
      for (const name of required) expect(body, path).toHaveProperty(name);
      if (properties)
        expect(Object.keys(properties), path).toEqual(expect.arrayContaining(Object.keys(body)));
    }
  });
});

/** As a proxy reports it: every test has an address of its own, since wrong attempts block it. */
const from = (n: number) => ({ "x-forwarded-for": `192.0.2.${n}` });
