import { afterAll, beforeAll, expect, it } from "vitest";
import type { HttpServer } from "../../src/http/connection/http-server.ts";
import { type Administered, secret, startAdministered, username } from "./administered.ts";

let server: Administered;
beforeAll(async () => {
  server = await startAdministered(["http.trusted_proxies = loopback, 10.0.0.0/8"]);
});
afterAll(() => server.close());

/** Tries a password from a peer, on behalf of a client where `client` is given. */
const attempt = async (password: string, peer: string, client?: string): Promise<number> => {
  const login = Buffer.from(`${username}:${password}`).toString("base64");
  const http = server.app.listeners[0]?.server as HttpServer;
  const response = await http.inject({
    url: "/tasks",
    remoteAddress: peer,
    headers: {
      authorization: `Basic ${login}`,
      ...(client === undefined ? {} : { "x-forwarded-for": client }),
    },
  });
  return response.statusCode;
};

const many = Array.from({ length: 300 }, (_, n) => `198.51.${n >> 8}.${n & 255}`);

it("is delayed despite forged addresses, and locks nobody else out", async () => {
  expect(await attempt(secret, "10.0.0.1", "192.0.2.7")).toBe(200);
  const told: number[] = [];
  for (const forged of many) told.push(await attempt("wrong", "10.0.0.1", forged));
  expect(told.slice(0, 50)).toEqual(new Array(50).fill(401));
  // Another attempt counts every few seconds, however long this takes.
  expect(told.filter((status) => status === 429).length).toBeGreaterThan(200);
  expect(await attempt(secret, "10.0.0.1", "192.0.2.7")).toBe(200);
  expect(await attempt(secret, "10.0.0.1")).toBe(200);
  expect(await attempt(secret, "10.0.0.2", many[0])).toBe(200);
  expect(await attempt(secret, "203.0.113.9", many[0])).toBe(200);
});

it("under a forged address locks out neither its owner nor the proxy", async () => {
  for (let n = 0; n < 6; n++) await attempt("wrong", "127.0.0.1", "192.0.2.8");
  expect(await attempt(secret, "127.0.0.1", "192.0.2.8")).toBe(429);
  expect(await attempt(secret, "192.0.2.8")).toBe(200);
  expect(await attempt(secret, "127.0.0.1")).toBe(200);
  expect(await attempt(secret, "127.0.0.1", "192.0.2.9")).toBe(200);
});

it("without a proxy counts for the client's own address, whatever it claims", async () => {
  const told: number[] = [];
  for (const forged of many.slice(0, 6)) told.push(await attempt("wrong", "192.168.0.9", forged));
  expect(told).toEqual([401, 401, 401, 401, 401, 429]);
});
