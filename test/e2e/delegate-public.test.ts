import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "./app.ts";
import { drawPictures } from "./pictures.ts";

const image = "/iiif/3/small.png/full/max/0/default.jpg";
const information = "/iiif/3/small.png/info.json";
const forAll = "max-age=60, s-maxage=90, public, no-transform";
const forOne = "max-age=60, private, no-transform";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-delegate-test-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Cache-Control of an image, the same once more, HEAD, 304, and of info.json. */
const told = async (members: string, values = {}) => {
  const script = join(folder, `${crypto.randomUUID()}.mjs`);
  await writeFile(script, `export default class { ${members} }`);
  const server: TestServer = await startServer(drawPictures, {
    "delegate_script.enabled": true,
    "delegate_script.pathname": script,
    "cache.client.max_age": 60,
    "cache.client.shared_max_age": 90,
    ...values,
  });
  try {
    const first = await server.ask(image);
    const etag = String(first.headers.etag);
    const others = [
      await server.ask(image),
      await server.ask(image, { method: "HEAD" }),
      await server.ask(image, { headers: { "if-none-match": etag } }),
      await server.ask(information),
    ];
    expect([first, ...others].map(({ status }) => status)).toEqual([200, 200, 200, 304, 200]);
    return [first, ...others].map(({ headers }) => headers["cache-control"]);
  } finally {
    await server.close();
  }
};
const alike = (image: string, info = image) => [image, image, image, image, info];

describe("responses that a delegate decides on", () => {
  it.each([
    ["pre_authorize() { return true; }", alike(forOne)],
    ["authorize() { return true; }", alike(forOne, forAll)],
    ["overlay() { return null; }", alike(forOne, forAll)],
    ["redactions() { return []; }", alike(forOne, forAll)],
    ["metadata() { return null; }", alike(forOne, forAll)],
    ["extra_iiif3_information_response_keys() { return {}; }", alike(forAll, forOne)],
    ["source() { return 'FilesystemSource'; }", alike(forAll)],
  ])("are private to a client with %s", async (members, expected) => {
    expect(await told(members)).toEqual(expected);
  });

  it("are public if configured", async () => {
    const values = { "cache.client.delegate_public": true };
    expect(await told("authorize() { return true; }", values)).toEqual(alike(forAll));
  });
});
