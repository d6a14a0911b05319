import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SignedSubject, sign } from "../../src/access/signatures.ts";
import { markOf, pathSubject, withSignature } from "../../src/access/signed-urls.ts";
import { type Answer, type How, json, startServer, type TestServer } from "./app.ts";
import { drawPictures, drawSmall } from "./pictures.ts";

const token = "reader-token-0123456789";
const keys = [
  { id: "k2", secret: "0123456789abcdefghij" },
  { id: "k1", secret: "klmnopqrstuvwxyz0123" },
] as const;

const values = {
  "access.rules.1.identifier": "^small",
  "access.rules.1.action": "allow",
  "access.rules.2.identifier": "^large\\.tif$",
  "access.rules.2.token": token,
  "access.rules.2.action": "allow",
  "access.rules.3.identifier": "^large\\.tif$",
  "access.rules.3.address": ["192.0.2.0/24", "2001:db8::/32"],
  "access.rules.3.action": "allow",
  "access.rules.3.max_size": 400,
  "access.rules.4.identifier": "^large\\.tif$",
  "access.rules.4.action": "deny",
  "access.rules.4.status": "401",
  "access.rules.5.identifier": "^large\\.png$",
  "access.rules.5.signed": true,
  "access.rules.5.action": "allow",
  "access.rules.6.identifier": "^large\\.png$",
  "access.rules.6.header": "X-Remote-User",
  "access.rules.6.action": "allow",
  "access.rules.7.identifier": "^hidden/",
  "access.rules.7.action": "deny",
  "access.rules.7.status": "404",
  "access.signatures.keys": keys.map(({ id, secret }) => `${id}:${secret}`).join(" "),
  // Every cache is on and trusted.
  "cache.server.derivative.enabled": true,
  "cache.server.derivative": "HeapCache",
  "cache.server.info.trust_seconds": 60,
  "cache.client.enabled": true,
  "cache.client.public": true,
  "cache.client.shared_max_age": 1000,
};

let server: TestServer;
beforeAll(async () => {
  server = await startServer(async (folder) => {
    await drawPictures(folder);
    await drawSmall(folder, "hidden/a.png");
    await drawSmall(folder, "small/b c.png");
  }, values);
});
afterAll(() => server?.close());

const inside = { "x-forwarded-for": "192.0.2.9" };
const bearer = { authorization: `Bearer ${token}` };
const get = (path: string, headers: How["headers"] = {}, method = "GET") =>
  server.ask(path, { headers, method });

const whole = (identifier: string) => `/iiif/3/${identifier}/full/max/0/default.jpg`;
const info = (identifier: string) => `/iiif/3/${identifier}/info.json`;

const later = (seconds = 600): number => Math.floor(Date.now() / 1_000) + seconds;
const marked = (identifier: string, expires = later(), key: (typeof keys)[number] = keys[0]) =>
  markOf(sign({ keys: [key] }, { kind: "image", identifier }, expires));
const signedPath = (path: string, expires = later()): string => {
  const [before = "", query] = path.split("?");
  const subject: SignedSubject = pathSubject(before, query);
  return withSignature(sign({ keys: [keys[0]] }, subject, expires));
};

describe("access rules", () => {
  it("allow what everybody may see, for all caches and replayed from memory", async () => {
    for (const _ of [1, 2, 3]) {
      const { status, headers } = await get(whole("small.png"));
      expect(status).toBe(200);
      expect(headers["cache-control"]).toContain("public");
      expect(headers["cache-control"]).toContain("s-maxage=1000");
      expect(headers.vary).toBeUndefined();
    }
  });

  it.each(["/iiif/1/large.tif/info.json", "/iiif/2/large.tif/info.json", info("large.tif")])(
    "challenge at %s in JSON that pages of other sites can read",
    async (path) => {
      const { status, headers, body } = await get(path, { origin: "https://viewer.example" });
      expect(status).toBe(401);
      expect(headers).toMatchObject({
        "www-authenticate": 'Bearer realm="Vitrine"',
        "access-control-allow-origin": "*",
        "cache-control": "no-cache, must-revalidate",
      });
      expect(JSON.parse(body.toString())).toMatchObject({ status: 401 });
      const wrong = await get(path, { authorization: `Bearer ${token}x` });
      expect([wrong.status, wrong.headers["www-authenticate"]]).toEqual([
        401,
        'Bearer realm="Vitrine", error="invalid_token"',
      ]);
    },
  );

  it("answer a preflight without a token", async () => {
    const { status, headers } = await server.ask(whole("large.tif"), {
      method: "OPTIONS",
      headers: { origin: "https://viewer.example", "access-control-request-method": "GET" },
    });
    expect([status, headers["access-control-allow-headers"]]).toEqual([204, "Authorization, *"]);
  });

  it("keep responses that depend on the client out of shared caches", async () => {
    for (const path of [whole("large.tif"), info("large.tif")]) {
      const { status, headers } = await get(path, bearer);
      expect(status).toBe(200);
      expect(headers["cache-control"]).toContain("private");
      expect(headers["cache-control"]).not.toMatch(/public|s-maxage/);
      expect(headers.vary).toContain("Authorization");
    }
  });

  it("reveal nothing of images that they hide", async () => {
    const [hidden, missing] = await Promise.all([
      get(whole("hidden%2Fa.png")),
      get(whole("small-none.png")),
    ]);
    expect([hidden.status, missing.status]).toEqual([404, 404]);
    const told = (answer: Answer, name: string) =>
      answer.body
        .toString()
        .replaceAll(name, "NAME")
        .replaceAll(String(answer.headers["x-request-id"]), "ID");
    expect(told(hidden, "hidden/a.png")).toBe(told(missing, "small-none.png"));
    expect(Object.keys(hidden.headers).sort()).toEqual(Object.keys(missing.headers).sort());
  });

  it.each(["exact", "cantaloupe"])(
    "cannot be bypassed by other spellings of an identifier, in the %s dialect",
    async (dialect) => {
      const open = await startServer(
        async (folder) => {
          await drawSmall(folder, "hidden/a.png");
          await drawSmall(folder, "open/a.png");
        },
        {
          "access.default": "allow",
          "access.rules.1.identifier": "^hidden/",
          "access.rules.1.action": "deny",
          "endpoint.iiif.dialect": dialect,
        },
      );
      try {
        const statusOf = async (id: string) => (await open.ask(whole(id))).status;
        expect(await statusOf("open%2Fa.png")).toBe(200);
        for (const id of [
          "hidden%2Fa.png",
          "hidden%2fa.png;1",
          "%68idden%2Fa.png",
          ".%2Fhidden%2Fa.png",
          "open%2F..%2Fhidden%2Fa.png",
          "%2Fhidden%2Fa.png",
          "hidden%2F%2Fa.png",
          "hidden%5Ca.png",
          "open%5C..%5Chidden%5Ca.png",
        ])
          expect([403, 404], id).toContain(await statusOf(id));
      } finally {
        await open.close();
      }
    },
  );

  it("use a header of a trusted proxy only", async () => {
    const user = { "x-remote-user": "eve" };
    expect((await get(whole("large.png"), user)).status).toBe(200);
    expect((await get(whole("large.png"))).status).toBe(403);
    const other = await startServer(drawPictures, {
      ...values,
      "http.trusted_proxies": ["192.0.2.1"],
    });
    try {
      const refused = [
        await other.ask(whole("large.png"), { headers: user }),
        await other.ask(whole("large.tif"), { headers: inside }),
      ];
      expect(refused.map(({ status }) => status)).toEqual([403, 401]);
    } finally {
      await other.close();
    }
  });

  it("confine the size, and report it in info.json", async () => {
    expect(json(await get(info("large.tif"), inside))).toMatchObject({
      width: 1500,
      maxWidth: 400,
      tiles: [{ scaleFactors: [4, 8, 16] }],
    });
    expect(json(await get(info("large.tif"), bearer))).not.toHaveProperty("maxWidth");
    expect((await get("/iiif/3/large.tif/full/400,/0/default.jpg", inside)).status).toBe(200);
    expect((await get("/iiif/3/large.tif/full/401,/0/default.jpg", inside)).status).toBe(400);
    expect((await get("/iiif/3/large.tif/0,0,100,100/100,/0/default.jpg", inside)).status).toBe(
      400,
    );
  });

  it("take effect on the next request after a change", async () => {
    const path = whole("small.png");
    expect((await get(path)).status).toBe(200);
    const before = server.config.current;
    server.config.replace({ ...before, "access.rules.1.action": "deny" });
    try {
      expect((await get(path)).status).toBe(403);
      server.config.replace({ ...before, "access.rules.1.identifier": "(" });
      expect((await get(path)).status).toBe(403);
    } finally {
      server.config.replace(before);
    }
    expect((await get(path)).status).toBe(200);
  });
});

describe("signed URLs", () => {
  it("of an image are valid for all of its requests, as viewers make them", async () => {
    const mark = marked("large.png");
    const answer = await get(`/iiif/3/${mark}large.png/info.json`);
    expect(answer.status).toBe(200);
    const { id } = json(answer);
    expect(id).toBe(`${server.base}/iiif/3/${mark}large.png`);
    const base = String(id).slice(server.base.length);
    for (const path of ["/full/max/0/default.jpg", "/0,0,512,512/512,512/0/default.png"]) {
      for (const method of ["GET", "HEAD"]) {
        const { status, headers } = await get(base + path, {}, method);
        expect(status).toBe(200);
        expect(headers["cache-control"]).toMatch(/max-age=(?:600|59\d), private/);
        expect(headers["link"]).toContain(base);
        expect(headers["content-disposition"]).not.toContain("~");
      }
    }
    const etag = String((await get(`${base}/full/max/0/default.jpg`)).headers.etag);
    const again = await get(`${base}/full/max/0/default.jpg`, { "if-none-match": etag });
    expect(again.status).toBe(304);
    const unsigned = await get(whole("large.png"), { "if-none-match": etag });
    expect(unsigned.status).toBe(403);
  });

  it("are kept in redirects", async () => {
    const mark = marked("large.png");
    const base = await get(`/iiif/3/${mark}large.png`);
    expect([base.status, base.headers.location]).toEqual([
      303,
      `${server.base}/iiif/3/${mark}large.png/info.json`,
    ]);
    const simpler = await get(`/iiif/3/${mark}large.png;2:4/info.json`);
    expect([simpler.status, simpler.headers.location]).toEqual([
      301,
      `${server.base}/iiif/3/${mark}large.png;1:2/info.json`,
    ]);
    expect((await get(`/iiif/3/${mark}large.png;1:2/info.json`)).status).toBe(200);
  });

  it("of an image are invalid for any other", async () => {
    const mark = marked("large.png");
    for (const other of [
      "large.tif",
      "Large.png",
      "large.png2",
      "x%2F..%2Flarge.png",
      ".%2Flarge.png",
    ])
      expect((await get(whole(mark + other))).status, other).not.toBe(200);
    for (const path of [
      `${mark}x/../large.png`,
      `x/../${mark}large.png`,
      `${mark}%2e%2e%2Flarge.png`,
    ])
      expect((await get(whole(path))).status, path).not.toBe(200);
    expect((await get(whole(`${mark}${mark}large.png`))).status).not.toBe(200);
  });

  it("report when they have expired, or do not match", async () => {
    const expired = await get(info(`${marked("large.png", later(-60))}large.png`));
    expect(expired.status).toBe(403);
    expect(JSON.parse(expired.body.toString()).message).toMatch(/expired at 20\d\d-/);
    const wrong = await get(info(`${marked("large.tif")}large.png`));
    expect(JSON.parse(wrong.body.toString()).message).toContain("is not valid for it");
    // Clocks may differ by half a minute.
    expect((await get(whole(`${marked("large.png", later(-10))}large.png`))).status).toBe(200);
    expect((await get(whole(`${marked("large.png", later(), keys[1])}large.png`))).status).toBe(
      200,
    );
  });

  it("of a path are valid for that path and query", async () => {
    const path = whole("large.png");
    const signed = signedPath(path);
    for (const method of ["GET", "HEAD"]) expect((await get(signed, {}, method)).status).toBe(200);
    const query = signed.slice(path.length);
    const wrong = [
      path,
      info("large.png") + query,
      path.replace("max", "100,") + query,
      path.replace("large", "l%61rge") + query,
      path.replace("/3/", "/2/") + query,
      `${signed}&page=2`,
      `${signed}&cache=recache`,
      signed.replace(/sig=(.)/, (_, first) => `sig=${first === "_" ? "-" : "_"}`),
      signedPath(path, later(-60)),
    ];
    for (const target of wrong) expect((await get(target)).status, target).toBe(403);
    expect((await get(signedPath(`${path}?response-content-disposition=attachment`))).status).toBe(
      200,
    );
  });

  it("may be required in addition to rules", async () => {
    const before = server.config.current;
    try {
      server.config.replace({ ...before, "access.signatures.required": "^small/" });
      expect((await get(whole("small.png"))).status).toBe(200);
      expect((await get(whole("small%2Fb%20c.png"))).status).toBe(403);
      const mark = marked("small/b c.png");
      expect((await get(whole(`${mark}small%2Fb%20c.png`))).status).toBe(200);
      expect((await get(whole(`${mark}small%2fb%20c.png`))).status).toBe(200);
      server.config.replace({ ...before, "access.signatures.required": "all" });
      expect((await get(whole("small.png"))).status).toBe(403);
      // A signature is not enough where a rule denies.
      expect((await get(whole(`${marked("large.tif")}large.tif`))).status).toBe(401);
    } finally {
      server.config.replace(before);
    }
  });
});
