import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loginRequest } from "../../../test/login-request.ts";
import { type OidcServer, oidcClient, startOidcServer } from "../../../test/oidc-server.ts";
import { silent } from "../../core/log.ts";
import { createOidcProvider } from "./oidc.ts";
import type { OidcLogin } from "./oidc-login.ts";
import type { LoginRequest, LoginStep } from "./provider.ts";

const access = "https://images.example/iiif-auth/auth/access/maps";
const action = `${access}?origin=https://viewer.example`;
const texts = { label: "Maps" };
const cookieKey = new Uint8Array(32).fill(7);

let server: OidcServer;
beforeAll(async () => {
  server = await startOidcServer(`${access}/callback`);
});
afterAll(() => server.close());

const opened = (more: Partial<OidcLogin> = {}) => {
  const logged: string[] = [];
  const note = (message: string, fields?: unknown) =>
    void logged.push(`${message} ${JSON.stringify(fields)}`);
  const provider = createOidcProvider({
    ...oidcClient,
    issuer: server.issuer,
    scopes: "profile groups",
    nameClaim: "preferred_username",
    groupsClaim: "groups",
    cookieKey,
    texts,
    log: { ...silent, info: note, error: note },
    ...more,
  });
  const begin = async (request: Partial<LoginRequest> = {}) => {
    const step = await provider.step(
      loginRequest({ path: "/auth/access/maps", ...request }),
      action,
    );
    if (step.kind !== "redirect") throw new Error(`Expected a redirect: ${JSON.stringify(step)}`);
    return { location: step.location, cookies: cookieOf(step) };
  };
  /** As the issuer's redirect arrives. */
  const end = (query: URLSearchParams, cookies: Readonly<Record<string, string>>) =>
    provider.step(
      loginRequest({ path: "/auth/access/maps/callback", query, cookies }),
      `${access}?${query}`,
    );
  return { provider, logged, begin, end };
};

const cookieOf = (step: LoginStep): Readonly<Record<string, string>> => {
  const [cookie = ""] = "cookies" in step ? (step.cookies ?? []) : [];
  const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
  return { [name]: value };
};

describe("a login with OpenID Connect", () => {
  test("leads to the issuer and back, and identifies the person", async () => {
    const { begin, end, logged } = opened();
    const { location, cookies } = await begin();
    const asked = new URL(location).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      client_id: "vitrine",
      redirect_uri: `${access}/callback`,
      response_type: "code",
      scope: "openid profile groups",
      code_challenge_method: "S256",
    });
    expect(JSON.stringify(cookies)).not.toContain(asked.get("state"));
    const back = await server.logIn(location, "ada");
    expect(`${back.origin}${back.pathname}`).toBe(`${access}/callback`);
    const step = await end(back.searchParams, cookies);
    expect(step).toEqual({
      kind: "done",
      identity: { name: "ada", groups: ["staff", "maps"] },
      cookies: [
        "__Secure-vitrine-oidc=; Path=/iiif-auth/auth/access/maps/callback; Max-Age=0; HttpOnly; SameSite=Lax; Secure",
      ],
    });
    expect(logged).toEqual([]);
  });

  test("sets a cookie for the callback only", async () => {
    const { provider } = opened();
    const secure = await provider.step(loginRequest(), action);
    expect(secure.kind === "redirect" && secure.cookies?.[0]).toMatch(
      /^__Secure-vitrine-oidc=[\w.-]+; Path=\/iiif-auth\/auth\/access\/maps\/callback; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    );
    const plain = await provider.step(loginRequest({ secure: false }), action);
    expect(plain.kind === "redirect" && plain.cookies?.[0]).toMatch(/^vitrine-oidc=.*Lax$/);
    // A URL too long for a cookie is stored without its query.
    const long = await provider.step(loginRequest(), `${access}?x=${"y".repeat(10_000)}`);
    expect(long.kind === "redirect" && long.cookies?.[0]?.length).toBeLessThan(4_096);
  });

  test("refuses a code that was used", async () => {
    const { begin, end, logged } = opened();
    const { location, cookies } = await begin();
    const back = await server.logIn(location, "ada");
    expect(await end(back.searchParams, cookies)).toMatchObject({ kind: "done" });
    const again = await end(back.searchParams, cookies);
    expect(again).toMatchObject({ kind: "page", status: 400 });
    expect(again.kind === "page" && again.html).toContain(
      `<a href="${action.replace("&", "&#38;")}">Try again</a>`,
    );
    expect(logged.join()).toContain("The login has expired");
  });

  test("refuses another state, no state, and a login of another browser", async () => {
    const { begin, end } = opened();
    const one = await begin();
    const other = await begin();
    const back = await server.logIn(one.location, "ada");
    const tokens = server.asked("/token");
    for (const [query, cookies] of [
      [back.searchParams, other.cookies],
      [back.searchParams, {}],
      [back.searchParams, { "__Secure-vitrine-oidc": "rubbish" }],
      [new URLSearchParams({ code: back.searchParams.get("code") ?? "" }), one.cookies],
      [new URLSearchParams(), one.cookies],
    ] as const)
      expect(await end(query, cookies)).toMatchObject({ kind: "page", status: 400 });
    expect(server.asked("/token")).toBe(tokens);
    expect(await end(back.searchParams, one.cookies)).toMatchObject({ kind: "done" });
  });

  test("refuses a cookie that has expired, has another key or is of another service", async () => {
    let now = Date.now();
    const { begin, end } = opened({ now: () => now });
    const { location, cookies } = await begin();
    const back = await server.logIn(location, "ada");
    const elsewhere = opened({ cookieKey: new Uint8Array(32) });
    expect(await elsewhere.end(back.searchParams, cookies)).toMatchObject({ status: 400 });
    const { provider } = opened();
    expect(
      await provider.step(
        loginRequest({
          path: "/auth/access/plans/callback",
          query: back.searchParams,
          cookies,
        }),
        "https://images.example/iiif-auth/auth/access/plans",
      ),
    ).toMatchObject({ status: 400 });
    now += 601_000;
    expect(await end(back.searchParams, cookies)).toMatchObject({ status: 400 });
  });

  test("shows what the issuer declines, and what it does wrong, without details", async () => {
    const { begin, end, logged } = opened();
    const { location, cookies } = await begin();
    const state = new URL(location).searchParams.get("state") ?? "";
    const declined = new URLSearchParams({ error: "access_denied", state, iss: server.issuer });
    expect(await end(declined, cookies)).toMatchObject({ status: 403 });
    const failed = new URLSearchParams({
      error: "server_error",
      error_description: "<inside>",
      state,
      iss: server.issuer,
    });
    const page = await end(failed, cookies);
    expect(page).toMatchObject({ status: 502 });
    expect(JSON.stringify(page)).not.toContain("inside");
    // A response of another issuer.
    const mixed = new URLSearchParams({ code: "x", state, iss: "https://evil.example" });
    expect(await end(mixed, cookies)).toMatchObject({ status: 502 });
    expect(logged.length).toBe(3);
  });

  test("logs a wrong secret and a missing name, but never a secret", async () => {
    const wrong = opened({ clientSecret: "wrong-secret" });
    const first = await wrong.begin();
    const back = await server.logIn(first.location, "ada");
    expect(await wrong.end(back.searchParams, first.cookies)).toMatchObject({ status: 502 });
    expect(wrong.logged.join()).not.toContain("wrong-secret");
    const nameless = opened({ nameClaim: "email" });
    const second = await nameless.begin();
    const { searchParams } = await server.logIn(second.location, "ada");
    expect(await nameless.end(searchParams, second.cookies)).toMatchObject({ status: 403 });
    expect(nameless.logged.join()).toContain("claim 'email'");
  });

  test("reads the issuer's metadata once", async () => {
    const before = server.asked("/.well-known/openid-configuration");
    const { begin } = opened();
    await Promise.all([begin(), begin(), begin()]);
    await begin();
    expect(server.asked("/.well-known/openid-configuration")).toBe(before + 1);
  });

  test("is a page with 503 while the issuer is down, or sends nonsense", async () => {
    const down = await startOidcServer(`${access}/callback`);
    await down.close();
    const { provider } = opened({ issuer: down.issuer });
    expect(await provider.step(loginRequest(), action)).toMatchObject({
      kind: "page",
      status: 503,
    });
    const broken = createServer((_, response) => response.writeHead(500).end("<h1>down</h1>"));
    await new Promise<void>((resolve) => broken.listen(0, "127.0.0.1", resolve));
    const { port } = broken.address() as AddressInfo;
    const failing = opened({ issuer: `http://127.0.0.1:${port}` });
    expect(await failing.provider.step(loginRequest(), action)).toMatchObject({ status: 503 });
    broken.close();
    broken.closeAllConnections();
  });

  test("ends with its request while the issuer does not answer", async () => {
    const hanging = createServer(() => {});
    await new Promise<void>((resolve) => hanging.listen(0, "127.0.0.1", resolve));
    const { port } = hanging.address() as AddressInfo;
    const { provider } = opened({ issuer: `http://127.0.0.1:${port}` });
    const leaving = new AbortController();
    const left = provider.step(loginRequest({ signal: leaving.signal }), action);
    hanging.once("request", () => leaving.abort(new Error("left")));
    await expect(left).rejects.toThrow("left");
    hanging.close();
    hanging.closeAllConnections();
  });

  test("requires an https issuer, or one on this machine", () => {
    for (const issuer of ["http://issuer.example", "issuer", "ftp://127.0.0.1", ""])
      expect(() => opened({ issuer })).toThrow("an https URL");
    for (const issuer of [
      "https://issuer.example/realms/a",
      "http://localhost:1",
      "http://[::1]:1",
    ])
      expect(opened({ issuer }).provider).toHaveProperty("step");
    expect(() => opened({ cookieKey: new Uint8Array(31) })).toThrow("32 bytes");
  });
});
