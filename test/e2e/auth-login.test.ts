import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashSync } from "bcrypt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OidcServer, oidcClient, startOidcServer } from "../oidc-server.ts";
import { startServer, type TestServer } from "./app.ts";
import { drawSmall } from "./pictures.ts";

/** The server's public address. */
const base = "https://images.example.org";

let server: TestServer;
let folder: string;
let issuer: OidcServer;
beforeAll(async () => {
  issuer = await startOidcServer(`${base}/auth/access/staff/callback`);
  const users = [`ada:${hashSync("secret", 4)}:maps`, `eve:${hashSync("other", 4)}`, ""].join("\n");
  folder = await mkdtemp(join(tmpdir(), "vitrine-test-"));
  await writeFile(join(folder, "users"), users);
  const draw = async (pictures: string) => {
    for (const name of ["lent/a.png", "staff/a.png", "maps/a.png"]) await drawSmall(pictures, name);
  };
  server = await startServer(draw, {
    base_uri: base,
    "auth.secret": "a-secret-of-32-characters-or-more-as-told",
    "auth.services.1.name": "readers",
    "auth.services.1.provider": "users",
    "auth.services.1.users": join(folder, "users"),
    "auth.services.1.label": "Library card",
    "auth.services.2.name": "staff",
    "auth.services.2.provider": "oidc",
    "auth.services.2.label": "Staff",
    "auth.services.2.oidc.issuer": issuer.issuer,
    "auth.services.2.oidc.client_id": oidcClient.clientId,
    "auth.services.2.oidc.client_secret": oidcClient.clientSecret,
    "auth.services.2.oidc.scopes": ["profile", "groups"],
    "access.rules.10.identifier": "^lent/",
    "access.rules.10.auth": "readers",
    "access.rules.10.action": "allow",
    "access.rules.20.identifier": "^staff/",
    "access.rules.20.auth": "staff",
    "access.rules.20.action": "allow",
    "access.rules.30.identifier": "^maps/",
    "access.rules.30.auth": "readers",
    "access.rules.30.action": "allow",
    "access.rules.30.auth_groups": ["maps"],
    "access.rules.40.identifier": "^maps/",
    "access.rules.40.auth": "staff",
    "access.rules.40.action": "allow",
    "access.rules.40.auth_groups": ["nobody"],
  });
});
afterAll(async () => {
  await server?.close();
  await issuer?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Like a browser that reaches the server by its public address. */
const visit = (url: string, cookie = "", form?: Readonly<Record<string, string>>) =>
  fetch(url.replace(base, server.base), {
    redirect: "manual",
    headers: { cookie, ...(form ? { origin: base } : {}) },
    ...(form ? { method: "POST", body: new URLSearchParams(form) } : {}),
  });
const cookiesOf = ({ headers }: Response): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .filter((cookie) => !cookie?.endsWith("="))
    .join("; ");
const seen = async (cookie: string) =>
  Object.fromEntries(
    await Promise.all(
      ["lent", "staff", "maps"].map(async (folder) => {
        const { status } = await visit(
          `${base}/iiif/3/${folder}%2Fa.png/full/max/0/default.png`,
          cookie,
        );
        return [folder, status] as const;
      }),
    ),
  );

describe("logins at auth services", () => {
  it("by a users file show what its users may see", async () => {
    const url = `${base}/auth/access/readers?origin=https://viewer.example.org`;
    const page = await visit(url);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(await page.text()).toContain("<h1>Library card</h1>");

    const wrong = await visit(url, "", { name: "ada", password: "wrong" });
    expect([wrong.status, cookiesOf(wrong)]).toEqual([403, ""]);

    const ada = await visit(url, "", { name: "ada", password: "secret" });
    expect(ada.status).toBe(200);
    expect(await seen(cookiesOf(ada))).toEqual({ lent: 200, staff: 401, maps: 200 });

    const eve = await visit(url, "", { name: "eve", password: "other" });
    expect(await seen(cookiesOf(eve))).toEqual({ lent: 200, staff: 401, maps: 401 });
    expect(await seen("")).toEqual({ lent: 401, staff: 401, maps: 401 });
  });

  it("with OpenID Connect lead to the issuer and back, and show what its users may see", async () => {
    const begun = await visit(`${base}/auth/access/staff?origin=https://viewer.example.org`);
    expect(begun.status).toBe(302);
    const back = await issuer.logIn(begun.headers.get("location") ?? "", "ada");
    expect(back.href).toContain(`${base}/auth/access/staff/callback?code=`);
    const done = await visit(back.href, cookiesOf(begun));
    expect([done.status, done.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(await seen(cookiesOf(done))).toEqual({ lent: 401, staff: 200, maps: 401 });

    // Without the cookie of the pending login.
    const stolen = await visit(back.href);
    expect([stolen.status, cookiesOf(stolen)]).toEqual([400, ""]);
  });
});
