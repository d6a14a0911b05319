import { brotliDecompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAdministered } from "./administered.ts";
import { basic, type Panelled, script, startPanelled } from "./panelled.ts";

let server: Panelled;
beforeAll(async () => {
  server = await startPanelled();
});
afterAll(() => server.close());

const everything = [
  ["GET", "/admin"],
  ["HEAD", "/admin"],
  ["GET", "/admin/"],
  ["POST", "/admin"],
  ["OPTIONS", "/admin"],
  ["GET", "/admin/assets/index-1a2b.js"],
  ["GET", "/admin/assets/none.js"],
  ["GET", "/admin/status"],
  ["GET", "/admin/configuration"],
  ["PUT", "/admin/configuration"],
  ["GET", "/admin/api/session"],
  ["POST", "/admin/api/session"],
  ["DELETE", "/admin/api/session"],
  ["GET", "/admin/api/status"],
  ["GET", "/admin/api/figures"],
  ["GET", "/admin/api/health"],
  ["GET", "/admin/api/tasks"],
  ["POST", "/admin/api/tasks"],
  ["GET", "/admin/api/tasks/0a0a0a0a-1b1b-4c4c-8d8d-2e2e2e2e2e2e"],
  ["GET", "/admin/api/configuration"],
  ["PUT", "/admin/api/configuration"],
  ["POST", "/admin/api/configuration/check"],
  ["GET", "/admin/api/logs"],
  ["GET", "/admin/api/images/small.png"],
  ["GET", "/admin/none"],
  ["PATCH", "/admin/none"],
  ["OPTIONS", "/admin/api/status"],
] as const;

describe("while the panel is disabled", () => {
  it("nothing of it is served, and nobody is asked for credentials", async () => {
    const off = await startPanelled(["endpoint.admin.enabled = false"]);
    try {
      for (const [method, path] of everything) {
        const told = await off.ask(method, path, { login: basic, body: "{}" });
        expect(told.status, `${method} ${path}`).toBe(403);
        expect(told.text).not.toContain("script");
        expect(told.headers["www-authenticate"]).toBeUndefined();
      }
    } finally {
      await off.close();
    }
  });

  it("which is the default, changing it takes effect at once", async () => {
    const usual = await startPanelled();
    try {
      expect((await usual.ask("GET", "/admin")).status).toBe(200);
      await usual.file.set({ "endpoint.admin.enabled": null });
      expect((await usual.ask("GET", "/admin")).status).toBe(403);
    } finally {
      await usual.close();
    }
  });
});

describe("the page", () => {
  it.each([
    ["/admin", "admin/"],
    ["/admin/", "./"],
  ])("%s is relative to the panel's address, whatever precedes it", async (path, base) => {
    for (const headers of [
      {},
      { "x-forwarded-path": "/images", "x-forwarded-host": "other.org" },
    ]) {
      const told = await server.ask("GET", path, { login: null, headers });
      expect(told.status).toBe(200);
      expect(told.headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(told.text).toContain(`<base href="${base}">`);
      expect(told.text).toContain('src="./assets/index-1a2b.js"');
    }
  });

  it("has minimal permissions, and cannot be framed", async () => {
    const { headers } = await server.ask("GET", "/admin", { login: null });
    const policy = String(headers["content-security-policy"]).split("; ");
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'self'",
      ]),
    );
    expect(String(policy)).not.toContain("unsafe");
    expect(headers).toMatchObject({
      "cache-control": "no-cache",
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "permissions-policy": expect.stringContaining("camera=()"),
    });
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("is shown for the address of a script, which is not executed", async () => {
    const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    for (const path of ["/admin/configuration", "/admin/status"]) {
      const seen = await server.ask("GET", path, { login: null, headers: browser });
      expect(seen.status).toBe(200);
      expect(seen.text).toContain('<base href="./">');
      for (const headers of [{}, { accept: "*/*" }, { accept: "application/json" }])
        expect((await server.ask("GET", path, { login: null, headers })).status).toBe(401);
      const told = await server.ask("GET", path, { login: basic, headers: browser });
      expect(told.headers["content-type"]).toBe("application/json; charset=utf-8");
    }
  });

  it("reports that it was not built", async () => {
    const bare = await startAdministered(["endpoint.admin.enabled = true"], {
      panel: new URL("file:///nothing/of/this/name/"),
    });
    try {
      const told = await bare.ask("GET", "/admin");
      expect(told.status).toBe(501);
      expect(told.text).toContain("npm run build");
      expect(told.text).not.toContain("/nothing");
    } finally {
      await bare.close();
    }
  });
});

describe("its files", () => {
  const path = "/admin/assets/index-1a2b.js";

  it.each([
    ["br, gzip", "br"],
    ["gzip;q=1.0, deflate", "gzip"],
    ["BR;q=0, *", "gzip"],
    ["*;q=0", undefined],
    ["zstd", undefined],
    [undefined, undefined],
  ])("have the smallest accepted coding: %s", async (wanted, coding) => {
    const headers = wanted === undefined ? {} : { "accept-encoding": wanted };
    const told = await server.ask("GET", path, { login: null, headers });
    expect(told.status).toBe(200);
    expect(told.headers["content-encoding"]).toBe(coding);
    expect(told.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      vary: "Accept-Encoding",
    });
    if (coding === undefined) expect(told.text).toBe(script);
  });

  it("are sent whole in a coding, and without a body to HEAD", async () => {
    const headers = { "accept-encoding": "br" };
    const told = await server.ask("GET", path, { login: null, headers });
    expect(brotliDecompressSync(told.bytes).toString()).toBe(script);
    const head = await server.ask("HEAD", path, { login: null, headers });
    expect(head.text).toBe("");
    expect(head.headers["content-length"]).toBe(told.headers["content-length"]);
    const plain = await server.ask("GET", "/admin/assets/icon-3c4d.svg", { login: null, headers });
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(plain.headers["content-type"]).toBe("image/svg+xml");
  });

  it.each([
    "",
    "none.js",
    "notes.txt",
    "index-1a2b.js.br",
    "..%2findex.html",
    "..%2flicences.md",
    "../licences.md",
    "%2e%2e/index.html",
    "..\\index.html",
    "..%5cindex.html",
    "index-1a2b.js%00",
    "%ff",
    "constructor",
    "__proto__",
    "/etc/passwd",
    "a-name-of-more-than-a-hundred-letters-which-is-where-the-router-may-stop-to-read-it-and-answer-by-itself.js",
  ])("are those of the build and no others: %s", async (name) => {
    const told = await server.ask("GET", `/admin/assets/${name}`, { login: null });
    expect([301, 404]).toContain(told.status);
    expect(told.text).not.toContain("Others'");
    expect(told.text).not.toContain("<base");
  });
});

describe("other requests", () => {
  it.each([
    ["POST", "/admin", "GET, HEAD, OPTIONS"],
    ["PUT", "/admin/assets/index-1a2b.js", "GET, HEAD, OPTIONS"],
    ["DELETE", "/admin/api/status", "GET, HEAD, OPTIONS"],
    ["PUT", "/admin/api/session", "GET, HEAD, POST, DELETE, OPTIONS"],
    ["POST", "/admin/api/configuration", "GET, HEAD, PUT, OPTIONS"],
    ["GET", "/admin/api/configuration/check", "POST, OPTIONS"],
    ["POST", "/admin/status", "GET, HEAD, OPTIONS"],
    ["PATCH", "/admin/configuration", "GET, HEAD, PUT, OPTIONS"],
  ] as const)("are not allowed: %s %s", async (method, path, allow) => {
    const told = await server.ask(method, path, { login: basic, body: "x" });
    expect(told.status).toBe(405);
    expect(told.headers["allow"]).toBe(allow);
    const options = await server.ask("OPTIONS", path, { login: null });
    expect(options.status).toBe(204);
    expect(options.headers["allow"]).toBe(allow);
    expect(options.headers["access-control-allow-origin"]).toBeUndefined();
  });

  it.each(["/admin/none", "/admin/api", "/admin/api/none", "/admin//api/status", "/admin/%ff"])(
    "are not found: %s",
    async (path) => {
      for (const method of ["GET", "POST", "OPTIONS"] as const)
        expect((await server.ask(method, path, { login: basic })).status, method).toBe(404);
    },
  );

  it("report a problem to the page", async () => {
    const told = await server.call("GET", "none");
    expect(told.headers["content-type"]).toBe("application/problem+json; charset=utf-8");
    expect(told.headers["cache-control"]).toBe("no-store");
    expect(told.json()).toMatchObject({
      status: 404,
      title: "Not Found",
      detail: expect.stringContaining("/admin/api/none"),
    });
  });
});
