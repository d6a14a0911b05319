import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { random } from "../random.ts";
import { type Answer, type How, json, startServer, type TestServer } from "./app.ts";
import { drawSmall } from "./pictures.ts";

const viewer = "https://viewer.example.org";

/**
 * Readers see closed images; the reading room sees maps; everybody may see small maps, and open
 * images.
 */
const settings = {
  "auth.secret": "a-secret-of-32-characters-or-more-as-told",
  "auth.origins": [viewer],
  "auth.services.1.name": "readers",
  "auth.services.1.provider": "click-through",
  "auth.services.1.label": "Agree to the <terms>",
  "auth.services.1.heading": "Terms of use",
  "auth.services.1.note": "For research only.",
  "auth.services.1.confirm_label": "I agree",
  "auth.services.1.error_heading": "You have not agreed",
  "auth.services.1.logout_label": "Leave",
  "auth.services.2.name": "room",
  "auth.services.2.profile": "external",
  "auth.services.2.error_heading": "In the reading room only",
  "auth.services.3.name": "kiosk",
  "auth.services.3.profile": "kiosk",
  "access.rules.10.identifier": "^open/",
  "access.rules.10.action": "allow",
  "access.rules.20.identifier": "^closed/",
  "access.rules.20.auth": "readers",
  "access.rules.20.action": "allow",
  "access.rules.30.identifier": "^(maps|room)/",
  "access.rules.30.header": "X-Room",
  "access.rules.30.auth": "room",
  "access.rules.30.action": "allow",
  "access.rules.40.identifier": "^maps/",
  "access.rules.40.max_size": 20,
  "access.rules.40.substitute": "1:4",
  "access.rules.40.action": "allow",
  "access.rules.50.identifier": "^kiosk/",
  "access.rules.50.header": "X-Kiosk",
  "access.rules.50.auth": "kiosk",
  "access.rules.50.action": "allow",
  "access.rules.60.identifier": "^closed/teaser",
  "access.rules.60.substitute": "open/a.png",
  "access.rules.60.action": "deny",
  "cache.server.derivative.enabled": true,
  "cache.server.info.trust_seconds": 60,
  "cache.client.enabled": true,
  "cache.client.max_age": 60,
};

let server: TestServer;

beforeAll(async () => {
  server = await startServer(async (folder) => {
    for (const name of ["open/a.png", "closed/a.png", "closed/teaser.png", "maps/a.png"])
      await drawSmall(folder, name);
    for (const name of ["room/a.png", "kiosk/a.png"]) await drawSmall(folder, name);
  }, settings);
});
afterAll(() => server?.close());

const info = (identifier: string, version = 3) =>
  `/iiif/${version}/${encodeURIComponent(identifier)}/info.json`;
const image = (identifier: string, size = "max") =>
  `/iiif/3/${encodeURIComponent(identifier)}/full/${size}/0/default.png`;
const probe = (identifier: string) => `/auth/probe/3/${encodeURIComponent(identifier)}`;
const token = (service: string, messageId = "m1", origin = viewer) =>
  `/auth/token/${service}?messageId=${encodeURIComponent(messageId)}&origin=${encodeURIComponent(origin)}`;

const post = async (path: string, headers: Readonly<Record<string, string>>) =>
  server.ask(path, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "content-length": "0",
      ...headers,
    },
  });
const cookieOf = ({ headers }: Answer): string =>
  String(headers["set-cookie"]?.[0] ?? "").split(";")[0] ?? "";
/** Logs in; returns the cookie. */
const logIn = async (service = "readers"): Promise<string> =>
  cookieOf(await post(`/auth/access/${service}`, { origin: server.base }));
/** The message that a token page posts, and to which origin. */
const messageIn = ({ body }: Answer): readonly [Readonly<Record<string, unknown>>, string] => {
  const [, call = ""] = /parent\.postMessage\((.*)\);<\/script>/.exec(String(body)) ?? [];
  return JSON.parse(`[${call}]`) as [Record<string, unknown>, string];
};
const bearer = (value: unknown): How => ({ headers: { authorization: `Bearer ${value}` } });
const tokenFor = async (cookie: string, service = "readers"): Promise<unknown> =>
  messageIn(await server.ask(token(service), { headers: { cookie } }))[0]["accessToken"];
const statusOf = async (path: string, how: How = {}): Promise<number> =>
  (await server.ask(path, how)).status;
const probed = async (identifier: string, how: How = {}) =>
  json(await server.ask(probe(identifier), how)) as Readonly<Record<string, unknown>>;

describe("IIIF Auth 2", () => {
  it("describes the services of a protected image to everybody, and none of an open one", async () => {
    const answer = await server.ask(info("closed/a.png"));
    expect([answer.status, answer.headers["cache-control"]]).toEqual([
      200,
      "max-age=60, public, no-transform",
    ]);
    const { base } = server;
    expect(json(answer)).toMatchObject({
      "@context": [
        "http://iiif.io/api/auth/2/context.json",
        "http://iiif.io/api/image/3/context.json",
      ],
      width: expect.any(Number),
      service: [
        {
          id: `${base}/auth/probe/3/closed%2Fa.png`,
          type: "AuthProbeService2",
          errorHeading: { en: ["You have not agreed"] },
          service: [
            {
              id: `${base}/auth/access/readers`,
              type: "AuthAccessService2",
              profile: "active",
              label: { en: ["Agree to the <terms>"] },
              heading: { en: ["Terms of use"] },
              note: { en: ["For research only."] },
              confirmLabel: { en: ["I agree"] },
              service: [
                { id: `${base}/auth/token/readers`, type: "AuthAccessTokenService2" },
                { id: `${base}/auth/logout/readers`, type: "AuthLogoutService2" },
              ],
            },
          ],
        },
      ],
    });
    expect(json(await server.ask(info("open/a.png")))).not.toHaveProperty("service");
    const external = json(await server.ask(info("room/a.png"))) as {
      service: readonly { service: readonly object[] }[];
    };
    expect(external.service[0]?.service[0]).toMatchObject({ profile: "external" });
    expect(external.service[0]?.service[0]).not.toHaveProperty("id");
  });

  it("grants access after a login, until the logout", async () => {
    expect(await statusOf(image("closed/a.png"))).toBe(401);
    expect(await probed("closed/a.png")).toMatchObject({
      type: "AuthProbeResult2",
      status: 401,
      heading: { en: ["You have not agreed"] },
    });
    const page = await server.ask(`/auth/access/readers?origin=${encodeURIComponent(viewer)}`);
    expect([page.status, String(page.body)]).toEqual([200, expect.stringContaining("I agree")]);
    expect(page.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    const cookie = await logIn();
    const as = { headers: { cookie } };
    const seen = await server.ask(image("closed/a.png"), as);
    expect([seen.status, seen.headers["cache-control"], seen.headers["vary"]]).toEqual([
      200,
      "max-age=60, private, no-transform",
      "Cookie",
    ]);
    const answer = await server.ask(token("readers", "a-message"), as);
    const [message, to] = messageIn(answer);
    expect([answer.status, to, message]).toEqual([
      200,
      viewer,
      {
        "@context": "http://iiif.io/api/auth/2/context.json",
        type: "AuthAccessToken2",
        accessToken: expect.any(String),
        expiresIn: 600,
        messageId: "a-message",
      },
    ]);
    expect(answer.headers).not.toHaveProperty("x-frame-options");
    const { accessToken } = message;
    expect((await probed("closed/a.png", bearer(accessToken)))["status"]).toBe(200);
    // A token is not a cookie, and gives access to no image.
    expect(await statusOf(image("closed/a.png"), bearer(accessToken))).toBe(401);
    const forged = cookie.replace(/=.*/, `=${accessToken}`);
    expect(await statusOf(image("closed/a.png"), { headers: { cookie: forged } })).toBe(401);
    expect((await probed("closed/a.png", bearer(cookie.replace(/.*?=/, ""))))["status"]).toBe(401);
    const out = await server.ask("/auth/logout/readers", as);
    expect(String(out.headers["set-cookie"])).toContain("Max-Age=0");
    expect(await statusOf(image("closed/a.png"), as)).toBe(401);
    expect((await probed("closed/a.png", bearer(accessToken)))["status"]).toBe(401);
  });

  it("reports why there is no token", async () => {
    const profile = async (path: string, cookie?: string) =>
      messageIn(await server.ask(path, cookie === undefined ? {} : { headers: { cookie } }))[0][
        "profile"
      ];
    const [name = ""] = (await logIn()).split("=");
    expect(await profile(token("readers"))).toBe("missingAspect");
    expect(await profile(token("readers"), `${name}=nonsense`)).toBe("invalidAspect");
    expect(await profile(token("readers", ""))).toBe("invalidRequest");
    expect(await profile(token("room"))).toBe("missingAspect");
    const elsewhere = await server.ask(token("readers", "m", "https://evil.example"));
    expect(messageIn(elsewhere)).toEqual([
      expect.objectContaining({ profile: "invalidOrigin" }),
      "https://evil.example",
    ]);
    expect(await statusOf(token("readers", "m", "*"))).toBe(400);
    expect(await statusOf("/auth/token/nobody")).toBe(404);
    expect(
      await statusOf(`/auth/access/readers?origin=${encodeURIComponent("https://evil.example")}`),
    ).toBe(400);
  });

  it("sends no message that could end its script", async () => {
    const evil = "</script><script>alert(1)</script>\u2028'\"";
    const answer = await server.ask(token("readers", evil));
    expect(String(answer.body).match(/<script/g)).toHaveLength(1);
    expect(messageIn(answer)[0]["messageId"]).toBe(evil);
    expect(answer.headers["content-security-policy"]).toMatch(/script-src 'sha256-/);
  });

  it("does not log in by a form of another site", async () => {
    for (const headers of [
      {},
      { origin: "https://evil.example" },
      { origin: server.base, "sec-fetch-site": "cross-site" },
    ] as const) {
      const answer = await post("/auth/access/readers", headers);
      expect([answer.status, answer.headers["set-cookie"]]).toEqual([403, undefined]);
    }
  });

  it("grants access by client properties, without a login", async () => {
    const room = { headers: { "x-room": "1" } };
    expect(await statusOf(image("room/a.png"))).toBe(401);
    expect(await statusOf(image("room/a.png"), room)).toBe(200);
    const [message] = messageIn(await server.ask(token("room"), room));
    expect(message).toMatchObject({ type: "AuthAccessToken2" });
    const { accessToken } = message;
    expect(
      (
        await probed("room/a.png", {
          headers: { ...room.headers, authorization: `Bearer ${accessToken}` },
        })
      )["status"],
    ).toBe(200);
    // Another user's token gives no access.
    expect((await probed("room/a.png", bearer(accessToken)))["status"]).toBe(401);
    const kiosk = { headers: { "x-kiosk": "1" } };
    expect(await statusOf("/auth/access/kiosk")).toBe(403);
    const cookie = cookieOf(await server.ask("/auth/access/kiosk", kiosk));
    expect(await statusOf(image("kiosk/a.png"), { headers: { cookie, ...kiosk.headers } })).toBe(
      200,
    );
    expect(await statusOf(image("kiosk/a.png"), kiosk)).toBe(401);
    expect(await statusOf(image("kiosk/a.png"), { headers: { cookie } })).not.toBe(200);
  });

  it("offers a substitute until then", async () => {
    const { base } = server;
    expect(await probed("maps/a.png")).toMatchObject({
      status: 401,
      substitute: [{ id: `${base}/iiif/3/maps%2Fa.png;1:4/info.json`, type: "ImageService3" }],
    });
    expect(await statusOf("/iiif/3/maps%2Fa.png;1:4/full/max/0/default.png")).toBe(200);
    expect(await probed("closed/teaser.png")).toMatchObject({
      status: 401,
      substitute: [{ id: `${base}/iiif/3/open%2Fa.png/info.json`, type: "ImageService3" }],
    });
    expect(await probed("open/a.png")).toMatchObject({ status: 200 });
    expect(await probed("open/none.png")).toMatchObject({ status: 404 });
  });

  it("answers preflights that name Authorization", async () => {
    const { status, headers } = await server.ask(probe("closed/a.png"), { method: "OPTIONS" });
    expect([status, headers["access-control-allow-origin"]]).toEqual([204, "*"]);
    expect(headers["access-control-allow-headers"]).toMatch(/\bAuthorization\b/);
    const answer = await server.ask(probe("closed/a.png"));
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
  });
});

describe("IIIF Auth 1, with Image API 2", () => {
  it("answers info.json by the token", async () => {
    const { base } = server;
    const refused = await server.ask(info("closed/a.png", 2));
    expect(refused.status).toBe(401);
    expect(json(refused)).toMatchObject({
      "@context": "http://iiif.io/api/image/2/context.json",
      width: expect.any(Number),
      service: {
        "@context": "http://iiif.io/api/auth/1/context.json",
        "@id": `${base}/auth/access/readers`,
        profile: "http://iiif.io/api/auth/1/clickthrough",
        label: "Agree to the <terms>",
        service: [
          { "@id": `${base}/auth/token/readers`, profile: "http://iiif.io/api/auth/1/token" },
          {
            "@id": `${base}/auth/logout/readers`,
            profile: "http://iiif.io/api/auth/1/logout",
            label: "Leave",
          },
        ],
      },
    });
    const cookie = await logIn();
    const allowed = await server.ask(info("closed/a.png", 2), bearer(await tokenFor(cookie)));
    expect([allowed.status, allowed.headers["cache-control"]]).toEqual([
      200,
      "max-age=60, private, no-transform",
    ]);
    const { status, headers } = await server.ask(info("maps/a.png", 2));
    expect([status, headers["location"]]).toEqual([
      302,
      `${base}/iiif/2/maps%2Fa.png;1:4/info.json`,
    ]);
  });

  it("returns tokens as JSON to clients other than browsers", async () => {
    const cookie = await logIn();
    const answer = await server.ask("/auth/token/readers", { headers: { cookie } });
    expect(json(answer)).toEqual({ accessToken: expect.any(String), expiresIn: 600 });
    const refused = await server.ask("/auth/token/readers");
    expect([refused.status, json(refused)]).toEqual([401, { error: "missingCredentials" }]);
  });
});

describe("thousands of mixed requests, with every cache enabled", () => {
  it("show protected images only to users who are logged in", async () => {
    const { one } = random(21);
    const reader = await logIn();
    const out = await logIn();
    await server.ask("/auth/logout/readers", { headers: { cookie: out } });
    const changed = `${reader.slice(0, -2)}${reader.endsWith("AA") ? "BB" : "AA"}`;
    const cookies = [reader, out, changed, "", reader.replace("readers", "kiosk")] as const;
    const paths = [
      image("closed/a.png"),
      image("closed/a.png", "20,"),
      image("open/a.png"),
    ] as const;
    const tags = new Map<string, string>();
    const wrong: string[] = [];
    let sent = 0;
    const ask = async (): Promise<void> => {
      const cookie = one(cookies);
      const path = one(paths);
      const method = one(["GET", "GET", "HEAD"]);
      const tag = one([tags.get(path), undefined]);
      const headers = { cookie, ...(tag === undefined ? {} : { "if-none-match": tag }) };
      const { status, headers: answered } = await server.ask(path, { method, headers });
      if (answered.etag !== undefined) tags.set(path, answered.etag);
      const isOpen = cookie === reader || path.includes("open");
      const expected = isOpen ? [200, 304] : [401];
      if (!expected.includes(status)) wrong.push(`${method} ${path} with '${cookie}': ${status}`);
    };
    const lane = async (): Promise<void> => {
      while (sent++ < 4_000) await ask();
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    expect(wrong).toEqual([]);
    expect(tags.size).toBe(3);
  }, 120_000);
});
