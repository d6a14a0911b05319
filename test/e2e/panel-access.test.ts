import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Panelled, startPanelled } from "./panelled.ts";

const token = "reader-token-0123456789";
const secret = "0123456789abcdefghij";

let server: Panelled;
beforeAll(async () => {
  server = await startPanelled([
    "access.rules.10.identifier = ^maps/",
    "access.rules.10.address = 192.0.2.0/24",
    "access.rules.10.action = allow",
    "access.rules.20.identifier = ^maps/",
    `access.rules.20.token = ${token}`,
    "access.rules.20.action = allow",
    "access.rules.20.max_size = 600",
    "access.rules.30.header = X-Remote-User",
    "access.rules.30.header_value = eve",
    "access.rules.30.action = allow",
    "access.rules.40.identifier = ^open/",
    "access.rules.40.action = allow",
    `access.signatures.keys = k1:${secret}`,
    "access.signatures.required = ^lent/",
  ]);
  await server.enter();
});
afterAll(() => server?.close());

const tried = async (body: object) => {
  const told = await server.call("POST", "access/try", { body });
  expect([told.status, told.text]).toEqual([200, expect.any(String)]);
  return told.json();
};

describe("access rules in the panel", () => {
  it("are shown in order, without secrets", async () => {
    const told = await server.call("GET", "access");
    expect(told.json()).toEqual({
      rules: [
        {
          number: 10,
          identifier: "^maps/",
          address: ["192.0.2.0/24"],
          signed: false,
          outcome: { action: "allow" },
        },
        {
          number: 20,
          identifier: "^maps/",
          tokens: 1,
          signed: false,
          outcome: { action: "allow", confinement: { side: 600 } },
        },
        {
          number: 30,
          header: { name: "x-remote-user", values: ["eve"] },
          signed: false,
          outcome: { action: "allow" },
        },
        { number: 40, identifier: "^open/", signed: false, outcome: { action: "allow" } },
      ],
      otherwise: "deny",
      signatures: { keys: ["k1"], required: "^lent/" },
      delegate: false,
    });
    for (const hidden of [token, secret]) {
      expect(told.text).not.toContain(hidden);
      expect((await server.call("GET", "configuration")).text).not.toContain(hidden);
    }
  });

  it("show what a client would get, and why", async () => {
    const maps = { identifier: "maps/a.tif" };
    expect(await tried({ ...maps, address: "192.0.2.7" })).toEqual({
      outcome: { action: "allow" },
      by: 10,
      steps: [{ number: 10 }],
      shared: false,
    });
    expect(await tried({ ...maps, token })).toMatchObject({
      outcome: { action: "allow", confinement: { side: 600 } },
      by: 20,
      steps: [{ number: 10, fails: "address" }, { number: 20 }],
    });
    expect(await tried({ ...maps, token: "another" })).toMatchObject({
      outcome: { action: "deny", status: 403 },
      by: "default",
      steps: [
        { number: 10, fails: "address" },
        { number: 20, fails: "token" },
        { number: 30, fails: "header" },
        { number: 40, fails: "identifier" },
      ],
    });
    const user = { header: "X-Remote-User", headerValue: "eve" };
    expect(await tried({ ...maps, ...user })).toMatchObject({ by: 30 });
    expect(await tried({ identifier: "open/a" })).toMatchObject({ by: 40, shared: false });
    expect(await tried({ identifier: "lent/a", ...user })).toMatchObject({ by: "signature" });
    expect(await tried({ identifier: "lent/a", ...user, signed: true })).toMatchObject({ by: 30 });
  });

  it.each([
    [{}, "identifier: expected"],
    [{ identifier: 7 }, "identifier: expected a text"],
    [{ identifier: "a", address: "10.0.0.0/8" }, "address: expected an IPv4 or IPv6 address"],
    [{ identifier: "a", signed: "yes" }, "signed: expected true or false"],
  ])("report the error in %j", async (body, detail) => {
    const told = await server.call("POST", "access/try", { body });
    expect([told.status, told.json().detail]).toEqual([400, expect.stringContaining(detail)]);
  });

  it("are shown to authenticated users only", async () => {
    const told = await server.ask("GET", "/admin/api/access", { login: null });
    expect([told.status, told.text.includes("maps")]).toEqual([401, false]);
  });
});
