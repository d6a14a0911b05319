import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sign } from "../../src/access/signatures.ts";
import { markOf } from "../../src/access/signed-urls.ts";
import { json, startServer, type TestServer } from "./app.ts";
import { drawSmall } from "./pictures.ts";

const key = { id: "k1", secret: "0123456789abcdefghij" };
const token = "reader-token-0123456789";
const names = ["closed/a.png", "mine/a.png", "open/a.png", "read/a.png", "signed/a.png"];

/** Refuses what is in `mine`, but to its owner. */
const delegate = `export default class {
  pre_authorize() {
    const { identifier, cookies } = this.context;
    return !identifier.startsWith("mine/") || cookies.user === "me";
  }
}`;

let server: TestServer;
beforeAll(async () => {
  server = await startServer(
    async (folder) => {
      for (const name of names) await drawSmall(folder, `pictures/${name}`);
      await writeFile(join(folder, "delegate.mjs"), delegate);
      values["delegate_script.pathname"] = join(folder, "delegate.mjs");
    },
    values,
    { pictures: "pictures" },
  );
});
afterAll(() => server?.close());

const values: Record<string, unknown> = {
  "endpoint.landing.list": true,
  "access.rules.1.identifier": "^closed/",
  "access.rules.1.action": "deny",
  "access.rules.2.identifier": "^read/",
  "access.rules.2.token": token,
  "access.rules.2.action": "allow",
  "access.rules.3.identifier": "^read/",
  "access.rules.3.action": "deny",
  "access.rules.4.identifier": "^signed/",
  "access.rules.4.signed": true,
  "access.rules.4.action": "allow",
  "access.rules.5.identifier": "^signed/",
  "access.rules.5.action": "deny",
  "access.rules.6.identifier": "^(open|mine)/",
  "access.rules.6.action": "allow",
  "access.signatures.keys": `${key.id}:${key.secret}`,
  "delegate_script.enabled": true,
};

const listed = async (headers: Readonly<Record<string, string>> = {}) => {
  const answer = await server.ask("/static/landing.json", { headers });
  expect(answer.status).toBe(200);
  const { pictures } = json(answer) as { pictures: readonly { identifier: string }[] };
  return pictures.map(({ identifier }) => identifier).sort();
};
const pagesOf = async (identifier: string, headers: Readonly<Record<string, string>> = {}) =>
  server.ask(`/static/pages.json?identifier=${encodeURIComponent(identifier)}`, { headers });

describe("the landing page", () => {
  it("lists only what the client may see", async () => {
    expect(await listed()).toEqual(["open/a.png"]);
    expect(await listed({ authorization: `Bearer ${token}` })).toEqual([
      "open/a.png",
      "read/a.png",
    ]);
    expect(await listed({ cookie: "user=me" })).toEqual(["mine/a.png", "open/a.png"]);
  });

  it("links only to pages the client may see", async () => {
    const statuses = (headers = {}) =>
      Promise.all(names.map(async (name) => (await pagesOf(name, headers)).status));
    expect(await statuses()).toEqual([403, 403, 200, 403, 403]);
    expect(await statuses({ authorization: `Bearer ${token}` })).toEqual([403, 403, 200, 200, 403]);
    expect(await statuses({ cookie: "user=me" })).toEqual([403, 200, 200, 403, 403]);
  });

  it("accepts a signature before the identifier", async () => {
    const identifier = "signed/a.png";
    const expires = Math.floor(Date.now() / 1_000) + 60;
    const mark = markOf(sign({ keys: [key] }, { kind: "image", identifier }, expires));
    expect(json(await pagesOf(`${mark}${identifier}`))).toEqual({ identifier, page: 1, pages: 1 });
    expect((await pagesOf(`${mark}closed/a.png`)).status).toBe(403);
  });
});
