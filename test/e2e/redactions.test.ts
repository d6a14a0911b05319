import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pixelsOf } from "../likeness.ts";
import { pdfOf } from "../pdf.ts";
import { random } from "../random.ts";
import { type Answer, startServer, type TestServer } from "./app.ts";

/** Hides a part of every image, and another part of second pages, from everybody but the clerk. */
const rules = `
import type { Context, RedactionAnswer } from "vitrine";

export default class CustomDelegate {
  declare context: Context;

  async redactions(): Promise<readonly RedactionAnswer[] | string> {
    const { cookies, page_number } = this.context;
    switch (cookies["user"]) {
      case "clerk":
        return [];
      case "confused":
        return "none";
      case "unlucky":
        throw new Error("no connection to 10.0.0.7");
      case "stranger":
        return [{ x: 4000, y: 0, width: 1, height: 1 }];
      case "patient":
        return new Promise(() => {});
      default:
        return [{ x: page_number === 2 ? 256 : 96, y: 64, width: 48, height: 32 }];
    }
  }
}
`;

const size = { width: 512, height: 384 };

/** Green, and red where it is hidden. */
const drawSecret = sharp({
  create: { ...size, channels: 3, background: { r: 0, g: 180, b: 60 } },
}).composite([
  {
    input: { create: { width: 48, height: 32, channels: 3, background: { r: 255, g: 0, b: 0 } } },
    left: 96,
    top: 64,
  },
]);

/** A segment of a JPEG (APP13) in which cameras and programs store a thumbnail. */
const preview = Buffer.from("\xff\xed\0\x12embedded preview", "latin1");

/** A page of that size at 150 pixels per inch, red from a position on. */
const page = (x: number) => ({
  box: [0, 0, 245.76, 184.32],
  content: `0 0.7 0.2 rg 0 0 250 190 re f 1 0 0 rg ${x * 0.48} ${288 * 0.48} 23.04 15.36 re f`,
});

/** The operation that gives an upright image the orientation. */
const turned: readonly (readonly [number, (upright: Sharp) => Sharp])[] = [
  [2, (upright) => upright.flop()],
  [3, (upright) => upright.rotate(180)],
  [6, (upright) => upright.rotate(270)],
  [8, (upright) => upright.rotate(90)],
];

const drawFiles = async (folder: string): Promise<void> => {
  const file = (name: string): string => join(folder, name);
  const tiles = { tile: true, tileWidth: 128, tileHeight: 128, pyramid: true };
  await drawSecret
    .clone()
    .tiff({ compression: "jpeg", ...tiles })
    .toFile(file("tiles.tif"));
  const jpeg = await drawSecret.clone().jpeg({ quality: 95 }).toBuffer();
  const parts = [jpeg.subarray(0, 2), preview, jpeg.subarray(2)];
  await writeFile(file("whole.jpg"), Buffer.concat(parts));
  await drawSecret.clone().png().toFile(file("whole.png"));
  await writeFile(file("pages.pdf"), pdfOf([page(96), page(256)]));
  for (const [orientation, turns] of turned) {
    const stored = await turns(sharp(jpeg)).png().toBuffer();
    await sharp(stored)
      .withMetadata({ orientation })
      .jpeg()
      .toFile(file(`turned-${orientation}.jpg`));
  }
  const green = { r: 0, g: 180, b: 60 };
  const first = sharp({ create: { ...size, channels: 3, background: green } }).png();
  const both = [await first.toBuffer(), await drawSecret.clone().png().toBuffer()];
  await sharp(both, { join: { animated: true } })
    .tiff()
    .toFile(file("pages.tif"));
};

let server: TestServer;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-redactions-test-"));
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
  });
});

afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const ask = (path: string, user: string, headers = {}): Promise<Answer> =>
  server.ask(`/iiif/3/${path}`, { headers: { cookie: `user=${user}`, ...headers } });

/** Number of pixels redder than anything visible. */
const redPixels = async (body: Uint8Array): Promise<number> => {
  const { data } = await pixelsOf(body);
  let count = 0;
  for (let n = 0; n < data.length; n += 3)
    if ((data[n] ?? 0) > 40 + Math.max(data[n + 1] ?? 0, data[n + 2] ?? 0)) count++;
  return count;
};

const views = [
  "full/max/0/default.jpg",
  "full/!128,128/0/default.png",
  "0,0,128,128/max/0/default.jpg",
  "128,0,128,128/max/0/default.jpg",
  "0,0,256,256/128,128/0/default.jpg",
  "0,0,256,256/128,128/!90/default.jpg",
  "100,40,120,80/60,/33.3/default.webp",
  "full/max/180/gray.tif",
];
const touching = views.flatMap((view) =>
  ["tiles.tif", "whole.jpg", "whole.png", "pages.pdf"].map((name) => `${name}/${view}`),
);

describe("a delegate's redaction", () => {
  it.each(touching)("is missing from %s", async (path) => {
    const hidden = await ask(path, "reader");
    const shown = await ask(path, "clerk");
    expect([hidden.status, shown.status]).toEqual([200, 200]);
    expect(await redPixels(hidden.body)).toBe(0);
    if (!path.endsWith("gray.tif")) expect(await redPixels(shown.body)).toBeGreaterThan(0);
    expect(hidden.headers.etag).not.toBe(shown.headers.etag);
    // A client that has another client's ETag does not get its image.
    const tag = { "if-none-match": String(shown.headers.etag) };
    expect((await ask(path, "reader", tag)).status).toBe(200);
  });

  it.each(turned)("is placed on the upright page of orientation %i", async (orientation) => {
    for (const view of views) {
      const path = `turned-${orientation}.jpg/${view}`;
      const [hidden, shown] = [await ask(path, "reader"), await ask(path, "clerk")];
      expect(await redPixels(hidden.body), path).toBe(0);
      if (!path.endsWith("gray.tif")) expect(await redPixels(shown.body), path).toBeGreaterThan(0);
    }
  });

  it("is missing from everything embedded in the file", async () => {
    const path = "whole.jpg/full/max/0/default.jpg";
    // The clerk gets the file as it is.
    expect((await ask(path, "clerk")).body.includes("embedded preview")).toBe(true);
    expect((await ask(path, "reader")).body.includes("embedded preview")).toBe(false);
  });

  it("may differ from page to page", async () => {
    const second = await ask("pages.pdf;2/full/max/0/default.jpg", "reader");
    expect(await redPixels(second.body)).toBe(0);
    const beside = await ask("pages.pdf;2/96,64,48,32/max/0/default.png", "reader");
    expect((await pixelsOf(beside.body)).data[1]).toBeGreaterThan(100);
  });

  it("is missing from a file of several pages sent as a whole", async () => {
    // What is hidden of the first page lies beyond it.
    const { status, body } = await ask("pages.tif/full/max/0/default.tif", "stranger");
    expect([status, (await sharp(body).metadata()).pages ?? 1]).toEqual([200, 1]);
    expect((await sharp(join(server.folder, "pages.tif")).metadata()).pages).toBe(2);
  });

  it("does not affect adjacent tiles, which all clients share", async () => {
    for (const name of ["tiles.tif", "whole.png"]) {
      const path = `${name}/256,256,128,128/max/0/default.jpg`;
      const [reader, clerk] = [await ask(path, "reader"), await ask(path, "clerk")];
      expect(reader.body.equals(clerk.body)).toBe(true);
      expect(reader.headers.etag).toBe(clerk.headers.etag);
    }
  });

  it.each(["confused", "unlucky", "patient"])(
    "is never shown when the method fails: %s",
    async (user) => {
      const paths = ["full/max/0/default.jpg", "256,256,128,128/max/0/default.jpg"];
      for (const path of paths) {
        const first = await ask(`tiles.tif/${path}`, "clerk");
        const { status, headers, body } = await ask(`tiles.tif/${path}`, user, {
          "if-none-match": String(first.headers.etag),
        });
        expect([status, headers.etag]).toEqual([500, undefined]);
        expect(headers["content-type"]).not.toContain("image");
        expect(body.includes("10.0.0.7")).toBe(false);
      }
    },
  );

  it("never reaches another user in thousands of mixed requests, whatever is cached", async () => {
    const { whole } = random(11);
    const pick = <T>(list: readonly T[]): T => list[whole(0, list.length - 1)] as T;
    const paths = touching.filter((path) => !path.endsWith("gray.tif"));
    const tags = new Map<string, string>();
    const seen = new Map<string, Promise<number>>();
    /** Equal bytes are checked only once. */
    const isRed = async (body: Buffer): Promise<boolean> => {
      const bytes = body.toString("latin1");
      const red = seen.get(bytes) ?? redPixels(body);
      seen.set(bytes, red);
      return (await red) > 0;
    };
    const isRight = async (user: string, path: string, tag: string | undefined) => {
      const condition = tag === undefined ? {} : { "if-none-match": tag };
      const { status, headers, body } = await ask(path, user, condition);
      const own = `${path} ${user}`;
      if (status === 304) return tags.get(own) === tag;
      tags.set(own, String(headers.etag));
      return status === 200 && (await isRed(body)) === (user === "clerk");
    };
    const wrong: string[] = [];
    let sent = 0;
    const lane = async (): Promise<void> => {
      while (sent++ < 3_000) {
        const [user, other] = [pick(["reader", "clerk"]), pick(["reader", "clerk"])];
        const path = pick(paths);
        const tag = pick([undefined, tags.get(`${path} ${other}`)]);
        if (!(await isRight(user, path, tag))) wrong.push(`${path} ${user} ${tag}`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    expect(wrong).toEqual([]);
    expect(new Set(tags.values()).size).toBe(paths.length * 2);
  }, 120_000);
});
