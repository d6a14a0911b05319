import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { admin, basic, own, type Panelled, startPanelled } from "./panelled.ts";

let server: Panelled;
beforeAll(async () => {
  server = await startPanelled(["endpoint.api.change_file_only_keys = true"]);
});
afterAll(() => server.close());

/** As a proxy reports it: every test has an address of its own, since wrong attempts block it. */
const from = (n: number) => ({ "x-forwarded-for": `192.0.2.${n}` });

const asked = [
  ["GET", "session"],
  ["GET", "status"],
  ["GET", "figures"],
  ["GET", "health"],
  ["GET", "tasks"],
  ["POST", "tasks"],
  ["GET", "tasks/0a0a0a0a-1b1b-4c4c-8d8d-2e2e2e2e2e2e"],
  ["GET", "configuration"],
  ["PUT", "configuration"],
  ["POST", "configuration/check"],
  ["GET", "logs"],
  ["GET", "images/small.png"],
] as const;

describe("access is denied", () => {
  it.each(asked)("without a session: %s %s", async (method, path) => {
    const told = await server.call(method, path, {
      headers: { cookie: "", "x-vitrine-token": "x" },
      body: method === "GET" ? undefined : {},
    });
    expect(told.status).toBe(401);
    // The browser shows no dialog in front of the page's own form.
    expect(told.headers["www-authenticate"]).toBe('Session realm="Vitrine control panel"');
    expect(told.headers["cache-control"]).toBe("no-store");
    expect(told.json()).toMatchObject({ status: 401, title: "Unauthorized" });
  });

  it("with a cookie that is forged, of another server, or of another host's port", async () => {
    const { cookie } = await fresh();
    const [name = "", value = ""] = cookie.split("=");
    for (const wrong of [
      `${name}=`,
      `${name}=${value.slice(0, -2)}AA`,
      `${name}=${"A".repeat(22)}.${"A".repeat(43)}`,
      `other=${value}`,
      `${name}-8182=${value}`,
      `${name}=${"x".repeat(9_000)}`,
      ";;==;",
    ])
      expect((await server.call("GET", "session", { headers: { cookie: wrong } })).status).toBe(
        401,
      );
    expect(
      (await server.call("GET", "session", { headers: { cookie: `a=b; ${cookie}` } })).status,
    ).toBe(200);
  });

  it.each([
    [{ username: "admin", secret: "wrong" }, 401],
    [{ username: "other", secret: admin.secret }, 401],
    [{ username: "", secret: "" }, 401],
    [{ username: "admin", secret: "" }, 401],
    [{ username: "admin" }, 400],
    [{ username: "admin", secret: 7 }, 400],
    [{ username: ["admin"], secret: admin.secret }, 400],
    ["{", 400],
    ["[]", 400],
    ["null", 400],
    ["", 400],
  ])("for a login like %j", async (body, status) => {
    const told = await server.call("POST", "session", {
      body,
      headers: { ...from(1), cookie: "" },
    });
    expect(told.status).toBe(status);
    expect(told.headers["set-cookie"]).toBeUndefined();
    expect(told.json()).toMatchObject({ status, detail: expect.any(String) });
  });

  it("for a login that is too long", async () => {
    const body = { username: "admin", secret: "x".repeat(20_000) };
    expect((await server.call("POST", "session", { body, headers: from(5) })).status).toBe(413);
  });

  it("while name or password are blank", async () => {
    const blank = await startPanelled(["endpoint.admin.secret =", "endpoint.admin.username ="]);
    try {
      for (const username of ["", "admin"]) {
        const body = { username, secret: "" };
        expect((await blank.call("POST", "session", { body })).status).toBe(401);
        const login = `${username}:`;
        expect((await blank.ask("GET", "/admin/status", { login })).status).toBe(401);
      }
    } finally {
      await blank.close();
    }
  });

  it("during repeated guessing, right or wrong, by either way", async () => {
    const wrong = { username: "admin", secret: "wrong" };
    const headers = from(2);
    for (let n = 0; n < 3; n++)
      expect((await server.call("POST", "session", { body: wrong, headers })).status).toBe(401);
    for (let n = 0; n < 2; n++)
      expect((await server.ask("GET", "/admin/status", { login: "a:b", headers })).status).toBe(
        401,
      );
    const held = await server.call("POST", "session", { body: admin, headers });
    expect(held.status).toBe(429);
    expect(held.headers["set-cookie"]).toBeUndefined();
    const { detail, retryAfter } = held.json();
    expect(detail).toContain("Too many");
    expect(retryAfter).toBeGreaterThan(0);
    expect(Number(held.headers["retry-after"])).toBe(retryAfter);
    expect((await server.ask("GET", "/admin/status", { login: basic, headers })).status).toBe(429);
    expect(
      (await server.ask("GET", "/admin/status", { login: basic, headers: from(3) })).status,
    ).toBe(200);
  });
});

describe("a user who logs in", () => {
  it("gets a cookie for the panel's requests only, hidden from scripts", async () => {
    const told = await server.call("POST", "session", { body: admin, headers: { cookie: "" } });
    expect(told.status).toBe(200);
    expect(told.json()).toEqual({
      username: "admin",
      token: expect.stringMatching(/^[\w-]{43}$/),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    expect(told.headers["www-authenticate"]).toBeUndefined();
    expect(told.headers["set-cookie"]).toMatch(
      /^vitrine-session=[\w-]{22}\.[\w-]{43}; HttpOnly; SameSite=Strict$/,
    );
  });

  it.each([
    [{ "x-forwarded-proto": "https" }, "vitrine-session=", true],
    [
      { "x-forwarded-host": "a.org:8443", "x-forwarded-proto": "https" },
      "vitrine-session-8443=",
      true,
    ],
    [{ host: "localhost:8182" }, "vitrine-session-8182=", false],
  ])("gets a secure cookie if the address is: %j", async (headers, start, secure) => {
    const told = await server.call("POST", "session", { body: admin, headers });
    expect(told.status).toBe(200);
    const cookie = String(told.headers["set-cookie"]);
    expect(cookie.startsWith(start)).toBe(true);
    expect(cookie.endsWith("; Secure")).toBe(secure);
    // Its path is the folder that the browser requested, whatever proxies call it.
    expect(cookie).not.toContain("Path");
  });

  it("is recognised, gets another cookie each time, and loses the previous one", async () => {
    const first = await fresh();
    const again = await server.call("GET", "session", { headers: { cookie: first.cookie } });
    expect(again.json()).toMatchObject({ username: "admin", token: first.token });
    const second = await server.call("POST", "session", {
      body: admin,
      headers: { cookie: first.cookie },
    });
    expect(second.json().token).not.toBe(first.token);
    expect(
      (await server.call("GET", "session", { headers: { cookie: first.cookie } })).status,
    ).toBe(401);
  });

  it("logs out, and the cookie is invalid from then on", async () => {
    const { cookie, token } = await fresh();
    const out = (headers: Readonly<Record<string, string>>) =>
      server.call("DELETE", "session", { headers });
    expect((await out({ cookie, "x-vitrine-token": "" })).status).toBe(403);
    expect((await server.call("GET", "session", { headers: { cookie } })).status).toBe(200);
    const told = await out({ cookie, "x-vitrine-token": token });
    expect(told.status).toBe(204);
    expect(told.text).toBe("");
    expect(told.headers["set-cookie"]).toBe(
      "vitrine-session=; Max-Age=0; HttpOnly; SameSite=Strict",
    );
    expect((await server.call("GET", "session", { headers: { cookie } })).status).toBe(401);
    expect((await out({ cookie, "x-vitrine-token": token })).status).toBe(204);
  });

  it("is logged out everywhere by a new password, for good", async () => {
    const changing = await startPanelled(["endpoint.api.change_file_only_keys = true"]);
    try {
      await changing.enter();
      const known = () => changing.call("GET", "session").then(({ status }) => status);
      expect(await known()).toBe(200);
      const put = await changing.call("PUT", "configuration", {
        body: { "endpoint.admin.secret": "another" },
      });
      expect(put.json()).toMatchObject({ ok: true, changed: ["endpoint.admin.secret"] });
      expect(await known()).toBe(401);
      await changing.file.set({ "endpoint.admin.secret": admin.secret });
      expect(await known()).toBe(401);
      expect((await changing.enter()).status).toBe(200);
    } finally {
      await changing.close();
    }
  });

  it("may use Basic credentials instead, without a token", async () => {
    const told = await server.ask("GET", "/admin/api/session", { login: basic });
    expect(told.json()).toMatchObject({ username: "admin", token: "" });
    const put = await server.ask("POST", "/admin/api/configuration/check", {
      login: basic,
      body: {},
      headers: { "content-type": "application/json" },
    });
    expect(put.status).toBe(200);
    expect(
      (await server.ask("GET", "/admin/api/status", { login: "admin:no", headers: from(4) }))
        .status,
    ).toBe(401);
  });
});

const changing = [
  ["POST", "tasks", { verb: "PurgeInvalidFromCache" }],
  ["PUT", "configuration", {}],
  ["POST", "configuration/check", {}],
] as const;

describe("other sites", () => {
  it.each(changing)("have no token: %s %s", async (method, path, body) => {
    const { cookie, token } = await fresh();
    const ask = (headers: Readonly<Record<string, string>>) =>
      server.call(method, path, { body, headers: { cookie, ...headers } });
    for (const wrong of ["", "x", `${token}x`, token.slice(1), cookie, "ü".repeat(22)])
      expect((await ask({ "x-vitrine-token": wrong })).status).toBe(403);
    const other = await fresh();
    expect((await ask({ "x-vitrine-token": other.token })).status).toBe(403);
    expect([200, 202]).toContain((await ask({ "x-vitrine-token": token })).status);
  });

  const foreign = [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
    { "sec-fetch-site": "", origin: "https://images.example.org" },
    { origin: "https://evil.example.net" },
    { origin: "https://images.example.org.evil.net" },
    { origin: "http://images.example.org:81" },
    { origin: "null" },
    { origin: "file://" },
  ];

  it.each(foreign)("are refused, whatever they send: %j", async (headers) => {
    const { cookie, token } = await fresh();
    for (const [method, path, body] of changing) {
      const told = await server.ask(method, `/admin/api/${path}`, {
        login: basic,
        body,
        headers: {
          cookie,
          "x-vitrine-token": token,
          "content-type": "application/json",
          ...headers,
        },
      });
      expect(told.status, path).toBe(403);
      expect(told.json().detail).toContain("only pages of this server");
    }
    const bodies = { login: basic, headers } as const;
    expect((await server.ask("PUT", "/admin/configuration", { ...bodies, body: {} })).status).toBe(
      403,
    );
    expect((await server.ask("DELETE", "/admin/api/session", { ...bodies })).status).toBe(403);
    const login = await server.ask("POST", "/admin/api/session", {
      login: null,
      body: admin,
      headers: { "content-type": "application/json", ...headers },
    });
    expect(login.status).toBe(403);
    expect(login.headers["set-cookie"]).toBeUndefined();
  });

  it("may not read either, but people may follow links", async () => {
    const get = (headers: Readonly<Record<string, string>>) =>
      server.ask("GET", "/admin/status", { login: basic, headers }).then(({ status }) => status);
    expect(await get({ "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" })).toBe(403);
    expect(await get({ origin: "https://evil.example.net" })).toBe(403);
    expect(await get({ "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" })).toBe(200);
    const { status } = await server.ask("GET", "/admin", {
      login: null,
      headers: { "sec-fetch-site": "cross-site" },
    });
    expect(status).toBe(200);
  });

  it("are not confused with a proxy that renames the host", async () => {
    const { cookie, token } = await fresh();
    const put = (headers: Readonly<Record<string, string>>) =>
      server
        .ask("PUT", "/admin/api/configuration", {
          login: null,
          body: {},
          headers: {
            cookie,
            "x-vitrine-token": token,
            "content-type": "application/json",
            ...headers,
          },
        })
        .then(({ status }) => status);
    expect(await put({ origin: "https://images.example.org" })).toBe(200);
    expect(await put({ origin: "http://IMAGES.example.org" })).toBe(200);
    expect(await put({ ...own, origin: "https://known.to.the.proxy.alone" })).toBe(200);
    expect(await put({ origin: "https://front.org", "x-forwarded-host": "front.org" })).toBe(200);
    await server.file.set({ base_uri: "https://front.org/images" });
    try {
      expect(await put({ origin: "https://front.org" })).toBe(200);
      expect(await put({ origin: "http://images.example.org" })).toBe(200);
      expect(await put({ origin: "https://other.org" })).toBe(403);
    } finally {
      await server.file.set({ base_uri: "" });
    }
  });

  it("may use any name for the server that is not one", async () => {
    for (const host of ["1.2.3.4.5", "999.999.999.999", "a:", ""]) {
      const headers = { host, origin: "https://evil.example.net", cookie: "a=b" };
      const { status } = await server.ask("GET", "/admin/api/session", { login: null, headers });
      expect(status, host).toBe(403);
      const asked = { login: null, headers: { host, cookie: "vitrine-session=x" } };
      expect((await server.ask("GET", "/admin/api/session", asked)).status, host).toBe(401);
    }
  });

  it("cannot submit their forms", async () => {
    const { cookie, token } = await fresh();
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""])
      for (const path of ["tasks", "session", "configuration/check"]) {
        const told = await server.call("POST", path, {
          body: {},
          headers: { cookie, "x-vitrine-token": token, "content-type": type },
        });
        expect(told.status, `${path} ${type}`).toBe(415);
      }
    const headers = { "content-type": "text/plain" };
    const scripts = await server.ask("PUT", "/admin/configuration", {
      login: basic,
      body: {},
      headers,
    });
    expect(scripts.status).toBe(415);
  });
});

/** A session of its own. */
const fresh = async (): Promise<{ readonly cookie: string; readonly token: string }> => {
  const told = await server.call("POST", "session", { body: admin, headers: { cookie: "" } });
  const [cookie = ""] = String(told.headers["set-cookie"]).split(";");
  return { cookie, token: told.json().token };
};
