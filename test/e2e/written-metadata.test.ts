import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readMetadata } from "../../src/formats/embedded-metadata.ts";
import { random } from "../random.ts";
import { memoryReader } from "../readers.ts";
import { type Answer, startServer, type TestServer } from "./app.ts";

/** States in each response who it is for. */
const rules = `
import type { Context, Delegate } from "vitrine";

export default class CustomDelegate implements Delegate {
  declare context: Context;

  async metadata(): Promise<string | null> {
    const { user = "nobody" } = this.context.cookies;
    if (user === "unlucky") throw new Error("no connection to 10.0.0.7");
    if (user === "confused") return "<rdf:RDF>";
    if (user === "patient") return new Promise(() => {});
    if (user === "nobody") return null;
    return \`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" dc:rights="for \${user}"/>
    </rdf:RDF>\`;
  }

  authorize(): boolean {
    const encode = this.context.operations?.find((one) => one["class"] === "Encode");
    return !String(encode?.["metadata"]).includes("for eve");
  }
}
`;

const size = { width: 512, height: 384 };

const drawFiles = async (folder: string): Promise<void> => {
  const file = (name: string): string => join(folder, name);
  const picture = sharp({ create: { ...size, channels: 3, background: "#2a6" } });
  const tiles = { tile: true, tileWidth: 128, tileHeight: 128, pyramid: true };
  await picture
    .clone()
    .tiff({ compression: "jpeg", ...tiles })
    .toFile(file("tiles.tif"));
  const own = picture.clone().withExif({ IFD0: { Artist: "Ann of the source" } });
  for (const format of ["jpeg", "png", "webp"] as const)
    await own
      .clone()
      [format]()
      .toFile(file(`whole.${format}`));
};

let server: TestServer;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-written-metadata-test-"));
  const script = join(folder, "delegate.ts");
  await writeFile(script, rules);
  server = await startServer(drawFiles, {
    "delegate_script.enabled": true,
    "delegate_script.pathname": script,
    "delegate_script.timeout": 1,
    "cache.server.derivative.enabled": true,
    "cache.server.info.trust_seconds": 60,
    "cache.client.enabled": true,
    "processor.whole_files": "unchanged",
    "http.server_timing": "all",
  });
});

afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const ask = (path: string, user: string, headers = {}): Promise<Answer> =>
  server.ask(`/iiif/3/${path}`, { headers: { cookie: `user=${user}`, ...headers } });

const { signal } = new AbortController();

/** The rights stated in a response; undefined where it has no XMP. */
const rightsIn = async (body: Uint8Array, path: string): Promise<unknown> => {
  const format = path.slice(path.lastIndexOf(".") + 1) as "jpg";
  const { xmp, problems } = await readMetadata(memoryReader(body), { format }, signal);
  expect(problems).toEqual([]);
  return xmp?.properties["dc:rights"];
};

const views = [
  "tiles.tif/full/max/0/default.jpg",
  "tiles.tif/0,0,128,128/max/0/default.jpg",
  "tiles.tif/0,0,256,256/128,/0/default.jpg",
  "tiles.tif/0,0,200,200/100,/0/default.jpg",
  "tiles.tif/full/64,/90/gray.webp",
  "tiles.tif/full/64,/0/default.png",
  "tiles.tif/full/64,/0/default.gif",
  "tiles.tif/full/64,/0/default.tif",
  "tiles.tif/full/64,/0/default.avif",
  "tiles.tif/full/64,/0/default.jp2",
  "tiles.tif/full/64,/0/default.jxl",
  "whole.jpeg/full/max/0/default.jpg",
  "whole.png/full/max/0/default.png",
  "whole.webp/full/max/0/default.webp",
];

describe("a delegate's metadata", () => {
  it.each(views)("is in %s, and changes no pixel", async (path) => {
    const [ann, bob] = [await ask(path, "ann"), await ask(path, "bob")];
    expect([ann.status, bob.status]).toEqual([200, 200]);
    expect(await rightsIn(ann.body, path)).toBe("for ann");
    expect(await rightsIn(bob.body, path)).toBe("for bob");
    expect(ann.headers.etag).not.toBe(bob.headers.etag);
    const tag = { "if-none-match": String(ann.headers.etag) };
    expect((await ask(path, "bob", tag)).status).toBe(200);
    expect((await ask(path, "ann", tag)).status).toBe(304);
    // Of the same pixels, without metadata.
    const bare = await ask(path, "nobody");
    expect(await rightsIn(bare.body, path)).toBeUndefined();
    if (path.endsWith("jp2") || path.endsWith("jxl")) return;
    const pixels = await Promise.all([ann, bare].map(({ body }) => sharp(body).raw().toBuffer()));
    expect(pixels[0]?.equals(pixels[1] ?? Buffer.alloc(0))).toBe(true);
  });

  it("is written into stored tiles without decoding them", async () => {
    const path = "tiles.tif/128,0,128,128/max/0/default.jpg";
    const { body, headers } = await ask(path, "ann");
    expect(headers["server-timing"]).toContain("stored");
    const bare = (await ask(path, "nobody")).body;
    const xmp = body.indexOf("http://ns.adobe.com/xap/1.0/\0");
    expect(xmp).toBeGreaterThan(0);
    expect(body.subarray(-bare.length + 20).equals(bare.subarray(20))).toBe(true);
  });

  it("replaces all of the source's, whatever whole files are set to", async () => {
    for (const user of ["ann", "nobody"])
      for (const name of ["jpeg/full/max/0/default.jpg", "png/full/max/0/default.png"])
        expect((await ask(`whole.${name}`, user)).body.includes("Ann of the source")).toBe(false);
  });

  it("is known when access is decided", async () => {
    expect((await ask("tiles.tif/full/64,/0/default.jpg", "eve")).status).toBe(403);
  });

  it.each(["unlucky", "confused", "patient"])(
    "makes the request fail when the method fails: %s",
    async (user) => {
      const path = "tiles.tif/0,0,128,128/max/0/default.jpg";
      const first = await ask(path, "nobody");
      const { status, headers, body } = await ask(path, user, {
        "if-none-match": String(first.headers.etag),
      });
      expect([status, headers.etag]).toEqual([500, undefined]);
      expect(body.includes("10.0.0.7")).toBe(false);
    },
  );

  it("never reaches another user in mixed requests, whatever is cached", async () => {
    const { whole } = random(12);
    const pick = <T>(list: readonly T[]): T => list[whole(0, list.length - 1)] as T;
    const paths = views.slice(0, 6);
    const wrong: string[] = [];
    let sent = 0;
    const lane = async (): Promise<void> => {
      while (sent++ < 600) {
        const [user, path] = [pick(["ann", "bob", "nobody"]), pick(paths)];
        const { status, body } = await ask(path, user);
        const rights = await rightsIn(body, path);
        const wanted = user === "nobody" ? undefined : `for ${user}`;
        if (status !== 200 || rights !== wanted) wrong.push(`${path} ${user} ${rights}`);
      }
    };
    await Promise.all(Array.from({ length: 6 }, lane));
    expect(wrong).toEqual([]);
  });
});
