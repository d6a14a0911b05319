import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sign } from "../../src/access/signatures.ts";
import { markOf } from "../../src/access/signed-urls.ts";
import { startServer, type TestServer } from "./app.ts";
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

const values: Record<string, unknown> = {
  "endpoint.presentation.enabled": true,
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

const listed = async (headers: Readonly<Record<string, string>> = {}) => {
  const answer = await server.ask("/presentation/3/collection.json", { headers });
  const { items } = JSON.parse(answer.body.toString()) as {
    items: readonly { label: { none: string[] } }[];
  };
  return { answer, folders: items.map(({ label }) => label.none[0]) };
};

test("folders are listed where the client may see an image in them", async () => {
  const { answer, folders } = await listed();
  expect(folders).toEqual(["open"]);
  expect(answer.headers["cache-control"]).toContain("private");
  expect(answer.headers.vary).toBe("Accept, Authorization, Cookie");
  expect((await listed({ cookie: "user=me" })).folders).toEqual(["mine", "open"]);
  expect((await listed({ authorization: `Bearer ${token}` })).folders).toEqual(["open", "read"]);
});

test.each([
  ["open", 200, 200],
  ["closed", 403, 404],
  ["mine", 403, 404],
  ["read", 403, 404],
  ["signed", 403, 404],
])("an image in '%s' gets %i, and the folder %i", async (folder, image, collection) => {
  const info = await server.ask(`/iiif/3/${folder}%2Fa.png/info.json`);
  const manifest = await server.ask(`/presentation/3/${folder}%2Fa.png/manifest.json`);
  expect([info.status, manifest.status]).toEqual([image, image]);
  const own = await server.ask(`/presentation/3/${folder}/collection.json`);
  expect(own.status).toBe(collection);
  expect((await server.ask(`/presentation/3/${folder}/manifest.json`)).status).toBe(
    image === 200 ? 200 : image,
  );
});

test("a folder that is not there looks like one that may not be seen", async () => {
  const [none, closed] = await Promise.all(
    ["nothing", "closed"].map((folder) =>
      server.ask(`/presentation/3/${folder}/collection.json`, {
        headers: { accept: "application/json" },
      }),
    ),
  );
  expect(none?.status).toBe(404);
  const neutral = (answer: typeof none, folder: string) =>
    answer?.body
      .toString()
      .replaceAll(folder, "X")
      .replace(/"[0-9a-f-]{36}"/, "");
  expect(neutral(closed, "closed")).toBe(neutral(none, "nothing"));
});

test("a signed manifest has signed images, and is for its client alone", async () => {
  const expires = Math.floor(Date.now() / 1_000) + 600;
  const subject = { kind: "image", identifier: "signed/a.png" } as const;
  const mark = markOf(sign({ keys: [key] }, subject, expires));
  const path = `${mark}signed%2Fa.png`;
  const answer = await server.ask(`/presentation/3/${path}/manifest.json`);
  expect(answer.status).toBe(200);
  expect(answer.headers["cache-control"]).toContain("private");
  expect(answer.body.toString()).toContain(`${server.base}/iiif/3/${path}"`);
});
