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

type Headers = Readonly<Record<string, string>>;

interface Entry {
  readonly kind: string;
  readonly path?: string;
  readonly identifier?: string;
}

/** All that pages of a list or a search have, folders with a slash at the end. */
const entriesOf = async (path: string, headers: Headers = {}): Promise<readonly string[]> => {
  const found: string[] = [];
  let after: string | undefined;
  do {
    const further = after === undefined ? "" : `&after=${after}`;
    const answer = await server.ask(`/static/${path}${further}`, { headers });
    expect(answer.status).toBe(200);
    const page = json(answer) as { entries: readonly Entry[]; next?: string };
    for (const name of names.filter((name) => !found.includes(name)))
      if (!page.entries.some(({ identifier }) => identifier === name))
        expect(answer.body.toString()).not.toContain(name);
    found.push(...page.entries.map(({ path, identifier }) => identifier ?? `${path}/`));
    after = page.next;
  } while (after !== undefined);
  return found;
};
const listed = (folder = "", headers: Headers = {}) =>
  entriesOf(`gallery.json?folder=${folder}&max=2`, headers);
const found = (words: string, headers: Headers = {}) =>
  entriesOf(`search.json?q=${words}&max=2`, headers);
const bearer = { authorization: `Bearer ${token}` };
const me = { cookie: "user=me" };

const pagesOf = async (identifier: string, headers: Readonly<Record<string, string>> = {}) =>
  server.ask(`/static/pages.json?identifier=${encodeURIComponent(identifier)}`, { headers });

describe("the landing page", () => {
  it("lists only folders with images that the client may see", async () => {
    expect(await listed()).toEqual(["open/"]);
    expect(await listed("", bearer)).toEqual(["open/", "read/"]);
    expect(await listed("", me)).toEqual(["mine/", "open/"]);
  });

  it("lists only images that the client may see", async () => {
    expect(await listed("open")).toEqual(["open/a.png"]);
    expect(await listed("read", bearer)).toEqual(["read/a.png"]);
    expect(await listed("mine", me)).toEqual(["mine/a.png"]);
  });

  it("responds to a folder without visible images as to a missing one", async () => {
    const statuses = ["closed", "mine", "read", "signed", "nowhere"].map(async (folder) => {
      const { status, body } = await server.ask(`/static/gallery.json?folder=${folder}`, {
        headers: { accept: "application/json" },
      });
      return [status, json({ status, headers: {}, body }) as { message?: string }] as const;
    });
    for (const [status, { message }] of await Promise.all(statuses)) {
      expect(status).toBe(404);
      expect(message).toMatch(/^There is no folder '\w+'\.$/);
    }
  });

  it("finds only images that the client may see, even if a page has few", async () => {
    expect(await found("a.png")).toEqual(["open/a.png"]);
    expect(await found("a.png", bearer)).toEqual(["open/a.png", "read/a.png"]);
    expect(await found("a.png", me)).toEqual(["mine/a.png", "open/a.png"]);
    for (const hidden of ["closed", "signed", "mine", "read"])
      expect(await found(hidden)).toEqual([]);
    expect(await found("mine", me)).toEqual(["mine/"]);
  });

  it("shows no covers of folders without visible images", async () => {
    const cover = async (folder: string, headers: Headers = {}) =>
      (
        json(await server.ask(`/static/cover.json?folder=${folder}`, { headers })) as {
          images: readonly Entry[];
        }
      ).images.map(({ identifier }) => identifier);
    expect(await cover("open")).toEqual(["open/a.png"]);
    expect(await cover("mine")).toEqual([]);
    expect(await cover("mine", me)).toEqual(["mine/a.png"]);
    expect(await cover("closed")).toEqual([]);
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
