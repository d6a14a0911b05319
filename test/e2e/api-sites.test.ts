import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Administered, startAdministered } from "./administered.ts";

let server: Administered;
beforeAll(async () => {
  server = await startAdministered();
});
afterAll(() => server.close());

const changing = [
  ["PUT", "/configuration", { max_pixels: 1_234 }],
  ["POST", "/tasks", { verb: "PurgeCache" }],
] as const;

describe("other sites", () => {
  it.each([
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
    { "sec-fetch-site": "", origin: "http://images.example.org" },
    { origin: "https://evil.example.net" },
    { origin: "http://images.example.org.evil.net" },
    { origin: "http://images.example.org:81" },
    { origin: "null" },
  ])("can change nothing through a browser that knows the password: %j", async (headers) => {
    for (const [method, path, body] of changing) {
      const told = await server.ask(method, path, { body, headers });
      expect(told.status, path).toBe(403);
      expect(told.text).toContain("only pages of this server");
    }
    expect((await server.ask("GET", "/tasks")).json()).toEqual([]);
    expect((await server.ask("GET", "/configuration")).json()).not.toHaveProperty("max_pixels");
  });

  it("are refused also without a body, before their password counts as a guess", async () => {
    const headers = { origin: "https://evil.example.net", "x-forwarded-for": "192.0.2.1" };
    for (let n = 0; n < 8; n++)
      expect((await server.ask("POST", "/tasks", { login: "a:b", headers })).status).toBe(403);
    const own = { "x-forwarded-for": "192.0.2.1" };
    expect((await server.ask("GET", "/tasks", { headers: own })).status).toBe(200);
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])(
    "cannot send a body of the type that the API takes: %j is refused",
    async (type) => {
      for (const [method, path, body] of changing) {
        const told = await server.ask(method, path, { body, headers: { "content-type": type } });
        expect(told.status, path).toBe(415);
        expect(told.text).toContain("application/json");
      }
      expect((await server.ask("GET", "/tasks")).json()).toEqual([]);
    },
  );
});

describe("requests from no other site", () => {
  it.each([
    {},
    { "content-type": "application/json; charset=utf-8" },
    { "sec-fetch-site": "same-origin" },
    { origin: "http://images.example.org" },
    { origin: "https://images.example.org" },
  ])("may make changes: %j", async (headers) => {
    const body = { max_pixels: null };
    expect((await server.ask("PUT", "/configuration", { body, headers })).status).toBe(200);
  });

  it("may read from anywhere: nothing changes, and no page of another site can read the response", async () => {
    const told = await server.ask("GET", "/tasks", {
      headers: { "sec-fetch-site": "cross-site", origin: "https://evil.example.net" },
    });
    expect(told.status).toBe(200);
    expect(told.headers["access-control-allow-origin"]).toBeUndefined();
  });
});
