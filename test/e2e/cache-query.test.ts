import { afterEach, describe, expect, it } from "vitest";
import {
  type Administered,
  secret,
  startAdministered,
  type Told,
  username,
} from "./administered.ts";
import { imagePath, infoPath } from "./requests.ts";

const servers: Administered[] = [];
const start = async (whom?: string): Promise<Administered> => {
  const server = await startAdministered([
    ...(whom === undefined ? [] : [`http.cache_control_query = ${whom}`]),
  ]);
  servers.push(server);
  return server;
};
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

interface From {
  readonly client?: string;
  readonly login?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** As a proxy on this machine asks for a client; without one, as a client on this machine. */
const get = (
  server: Administered,
  path: string,
  { client, login, headers = {} }: From = {},
): Promise<Told> =>
  server.ask("GET", path, {
    login: login ?? null,
    headers: { ...(client === undefined ? {} : { "x-forwarded-for": client }), ...headers },
  });

const paths = ["nocache", "false", "recache"].flatMap((cache) => [
  `${imagePath(3, "small.png")}?cache=${cache}`,
  `${infoPath(2, "small.png")}?cache=${cache}`,
]);
const stranger = { client: "192.0.2.1" };
const right = `${username}:${secret}`;

describe("cache=nocache and cache=recache", () => {
  it.each([undefined, "everybody"])("are available to everybody: %s", async (whom) => {
    const server = await start(whom);
    for (const path of paths) expect((await get(server, path, stranger)).status, path).toBe(200);
  });

  it("are available to trusted addresses and with the API's password", async () => {
    const server = await start("trusted");
    for (const path of paths) {
      const refused = await get(server, path, stranger);
      expect(refused.status, path).toBe(403);
      expect(refused.text).toContain("http.cache_control_query is trusted");
      expect((await get(server, path)).status, path).toBe(200);
      expect((await get(server, path, { ...stranger, login: right })).status, path).toBe(200);
    }
  });

  it("are available with the API's password only, and guessing it is delayed", async () => {
    const server = await start("credentials");
    for (const path of paths) {
      for (const from of [{}, stranger]) {
        const refused = await get(server, path, from);
        expect(refused.status, path).toBe(403);
        // Browsers must not show a password dialog because of an image in a page.
        expect(refused.headers["www-authenticate"]).toBeUndefined();
      }
      expect((await get(server, path, { ...stranger, login: right })).status, path).toBe(200);
    }
    const [path = ""] = paths;
    const guess = { ...stranger, login: `${username}:wrong` };
    for (let n = 0; n < 5; n++) expect((await get(server, path, guess)).status).toBe(401);
    expect((await get(server, path, guess)).status).toBe(429);
  });

  it.each(["trusted", "credentials"])(
    "are not available to pages of other sites: %s",
    async (whom) => {
      const server = await start(whom);
      const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
      for (const path of paths)
        expect((await get(server, path, { login: right, headers })).status, path).toBe(403);
      const plain = imagePath(3, "small.png");
      expect((await get(server, plain, { headers })).status).toBe(200);
    },
  );

  it.each(["trusted", "credentials"])("leave everything else available: %s", async (whom) => {
    const server = await start(whom);
    for (const query of ["", "?cache=", "?cache=true", "?cache=NOCACHE", "?page=1"])
      for (const path of [imagePath(3, "small.png"), infoPath(3, "small.png")])
        expect((await get(server, path + query, stranger)).status, query).toBe(200);
  });
});
