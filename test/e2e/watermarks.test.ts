import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { random } from "../random.ts";
import { type Answer, json, startServer, type TestServer } from "./app.ts";

const folders = ["free", "picture", "words", "both", "broken"];
const page = { width: 512, height: 384 };
const staff = { "x-staff": "yes" };

const drawFiles = async (folder: string): Promise<void> => {
  const plain = sharp({ create: { ...page, channels: 3, background: { r: 0, g: 120, b: 60 } } });
  const tiff = await plain
    .clone()
    .tiff({ compression: "jpeg", tile: true, tileWidth: 128, tileHeight: 128, pyramid: true })
    .toBuffer();
  const jpeg = await plain.clone().jpeg().toBuffer();
  for (const name of folders) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, "a.tif"), tiff);
    await writeFile(join(folder, name, "a.jpg"), jpeg);
  }
};

let marks: string;
const servers: TestServer[] = [];
const start = async (values: Readonly<Record<string, unknown>>): Promise<TestServer> => {
  const server = await startServer(drawFiles, {
    "cache.server.derivative.enabled": true,
    "cache.server.info.trust_seconds": 60,
    "cache.client.enabled": true,
    "processor.whole_files": "unchanged",
    ...values,
  });
  servers.push(server);
  return server;
};

const picture = () => join(marks, "mark.png");
const words = "© Town Archive";
/** Staff sees everything as it is. */
const rules = () => ({
  "access.rules.1.header": "X-Staff",
  "access.rules.1.action": "allow",
  "access.rules.2.identifier": "^picture/",
  "access.rules.2.watermark": picture(),
  "access.rules.2.action": "allow",
  "access.rules.3.identifier": "^words/",
  "access.rules.3.watermark": `text: ${words}`,
  "access.rules.3.watermark_position": "center",
  "access.rules.3.watermark_inset": 5,
  "access.rules.3.action": "allow",
  "access.rules.4.identifier": "^both/",
  "access.rules.4.watermark": picture(),
  "access.rules.4.watermark_position": "top left",
  "access.rules.4.max_size": 256,
  "access.rules.4.action": "allow",
  "access.rules.5.identifier": "^broken/",
  "access.rules.5.watermark": join(marks, "none.png"),
  "access.rules.5.action": "allow",
  "access.rules.6.action": "allow",
});
/** The same by overlays of every image. */
const overlaid = {
  picture: () => ({
    "overlays.BasicStrategy.enabled": true,
    "overlays.BasicStrategy.type": "image",
    "overlays.BasicStrategy.image": picture(),
    "overlays.BasicStrategy.position": "repeat",
  }),
  words: () => ({
    "overlays.BasicStrategy.enabled": true,
    "overlays.BasicStrategy.type": "string",
    "overlays.BasicStrategy.string": words,
    "overlays.BasicStrategy.position": "center",
    "overlays.BasicStrategy.inset": 5,
  }),
};

let server: TestServer;
beforeAll(async () => {
  marks = await mkdtemp(join(tmpdir(), "vitrine-watermarks-test-"));
  await sharp({ create: { width: 40, height: 30, channels: 4, background: "#ff000080" } })
    .png()
    .toFile(picture());
  server = await start(rules());
});
afterAll(async () => {
  for (const one of servers) await one.close();
  await rm(marks, { recursive: true, force: true });
});

const ask = (path: string, headers = {}, of = server): Promise<Answer> =>
  of.ask(`/iiif/3/${path}`, { headers });
const views = [
  "full/max/0/default.jpg",
  "full/max/0/default.png",
  "full/!200,200/0/default.webp",
  "0,0,128,128/128,128/0/default.jpg",
  "128,128,128,128/128,128/0/default.png",
  "0,0,256,256/128,128/!0/default.png",
  "256,256,256,128/128,64/90/default.png",
  "100,40,120,80/60,/33.3/default.png",
  "full/max/0/bitonal.png",
];

describe("the watermark of an access rule", () => {
  it.each(["picture", "words"] as const)("is drawn like an overlay: %s", async (folder) => {
    const other = await start(overlaid[folder]());
    for (const name of ["a.tif", "a.jpg"])
      for (const view of views) {
        const path = `${folder}%2F${name}/${view}`;
        const [marked, expected] = [await ask(path), await ask(path, {}, other)];
        expect([marked.status, expected.status], path).toEqual([200, 200]);
        expect(marked.body.equals(expected.body), path).toBe(true);
        const bare = await ask(path, staff);
        if (!marked.body.equals(bare.body))
          expect(marked.headers.etag, path).not.toBe(bare.headers.etag);
      }
    const whole = `${folder}%2Fa.jpg/full/max/0/default.jpg`;
    expect((await ask(whole)).body.equals((await ask(whole, staff)).body)).toBe(false);
  });

  it("is above the overlay of every image, and within the size that a rule allows", async () => {
    const both = await start({ ...rules(), ...overlaid.words() });
    const path = "both%2Fa.tif/full/max/0/default.png";
    const { data, info } = await sharp((await ask(path, {}, both)).body)
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([256, 192]);
    // The image in the corner, half of it, over green.
    expect([...data.subarray(0, 3)].map((value) => Math.round(value / 10))).toEqual([13, 6, 3]);
    const onlyMark = (await ask(path)).body;
    expect((await ask(path, {}, both)).body.equals(onlyMark)).toBe(false);
    expect((await ask(path, staff, both)).body.equals(onlyMark)).toBe(false);
  });

  it("makes requests fail with 500 when it cannot be loaded, but not those of others", async () => {
    for (const view of views) {
      const { status, headers, body } = await ask(`broken%2Fa.tif/${view}`);
      expect([status, headers.etag], view).toEqual([500, undefined]);
      expect(headers["content-type"]).not.toContain("image");
      expect(body.toString()).not.toContain(marks);
      expect((await ask(`broken%2Fa.tif/${view}`, staff)).status).toBe(200);
    }
    expect((await ask("broken%2Fa.tif/info.json")).status).toBe(200);
  });

  it("is not mentioned in info.json", async () => {
    const path = "picture%2Fa.tif/info.json";
    expect(json(await ask(path))).toEqual(json(await ask(path, staff)));
  });

  it("is on no other client's image in hundreds of mixed requests, whatever is cached", async () => {
    const { whole } = random(5);
    const pick = <T>(list: readonly T[]): T => list[whole(0, list.length - 1)] as T;
    const seen = new Map<string, Buffer>();
    const tags: string[] = [];
    /**
     * For each kind of client and path, always the same image; an ETag is confirmed only where it
     * is that image's.
     */
    const check = async (path: string, isStaff: boolean, tag: string, method: string) => {
      const headers = { ...(isStaff ? staff : {}), "if-none-match": tag };
      const {
        status,
        body,
        headers: told,
      } = await server.ask(`/iiif/3/${path}`, {
        method,
        headers,
      });
      const name = `${path} ${isStaff && !path.startsWith("free")}`;
      expect(status, name).toBe(tag === told.etag ? 304 : 200);
      expect(String(told["cache-control"])).toContain("private");
      tags.push(String(told.etag));
      if (status !== 200 || method === "HEAD") return;
      const before = seen.get(name) ?? body;
      seen.set(name, body);
      expect(body.equals(before), name).toBe(true);
    };
    for (let n = 0; n < 600; n++) {
      const path = `${pick(["free", "picture", "words"])}%2Fa.tif/${pick(views)}`;
      await check(path, pick([true, false]), pick(['"none"', ...tags]), pick(["GET", "HEAD"]));
    }
    const view = "full/max/0/default.png";
    const [marked, bare] = [false, true].map((is) => seen.get(`picture%2Fa.tif/${view} ${is}`));
    expect(marked && bare && !marked.equals(bare)).toBe(true);
  });
});
