import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assemble, difference, type Pixels, partOf, pixelsOf } from "../likeness.ts";
import { random } from "../random.ts";
import { startServer, type TestServer } from "./app.ts";

const page = { width: 512, height: 384 };

const drawFiles = async (folder: string): Promise<void> => {
  const plain = sharp({ create: { ...page, channels: 3, background: { r: 0, g: 120, b: 60 } } });
  const tiles = { tile: true, tileWidth: 128, tileHeight: 128, pyramid: true };
  await plain
    .clone()
    .tiff({ compression: "lzw", ...tiles })
    .toFile(join(folder, "a.tif"));
  await plain.clone().jpeg().toFile(join(folder, "a.jpg"));
  await drawMark(join(folder, "mark.png"), "#ff0000");
};

/** A quarter of it is transparent, another half semitransparent. */
const drawMark = async (path: string, colour: string): Promise<void> => {
  const quarter = async (alpha: number) =>
    sharp({ create: { width: 20, height: 15, channels: 4, background: "#0000" } })
      .composite([
        {
          input: await sharp({ create: { width: 20, height: 15, channels: 3, background: colour } })
            .ensureAlpha(alpha)
            .png()
            .toBuffer(),
        },
      ])
      .png()
      .toBuffer();
  const parts = await Promise.all([1, 0, 0.5, 1].map(quarter));
  await sharp({ create: { width: 40, height: 30, channels: 4, background: "#0000" } })
    .composite(
      parts.map((input, n) => ({ input, left: (n % 2) * 20, top: Math.floor(n / 2) * 15 })),
    )
    .png()
    .toFile(path);
};

const text = {
  "overlays.BasicStrategy.enabled": true,
  "overlays.BasicStrategy.type": "string",
  "overlays.BasicStrategy.string": "© <b>Müller</b> & Sons\\nAll rights reserved",
  "overlays.BasicStrategy.string.font.size": 24,
  "overlays.BasicStrategy.string.font.min_size": 8,
  "overlays.BasicStrategy.string.background.color": "rgba(0, 0, 0, 100)",
  "overlays.BasicStrategy.position": "bottom right",
  "overlays.BasicStrategy.inset": 10,
};
const picture = (place: string, position = "bottom right") => ({
  "overlays.BasicStrategy.enabled": true,
  "overlays.BasicStrategy.type": "image",
  "overlays.BasicStrategy.image": place,
  "overlays.BasicStrategy.position": position,
  "overlays.BasicStrategy.inset": 10,
});
const caches = { "cache.server.derivative.enabled": true, "cache.server.info.trust_seconds": 60 };

let marks: string;
const servers: TestServer[] = [];
const start = async (values: Readonly<Record<string, unknown>>): Promise<TestServer> => {
  const server = await startServer(drawFiles, { ...caches, ...values });
  servers.push(server);
  return server;
};
beforeAll(async () => {
  marks = await mkdtemp(join(tmpdir(), "vitrine-overlays-test-"));
  await drawMark(join(marks, "mark.png"), "#ff0000");
  await drawMark(join(marks, "white.png"), "#ffffff");
});
afterAll(async () => {
  for (const server of servers) await server.close();
  await rm(marks, { recursive: true, force: true });
});

const ask = async (server: TestServer, path: string, user = ""): Promise<Pixels> => {
  const { status, body } = await server.ask(`/iiif/3/${path}`, {
    headers: { cookie: `user=${user}` },
  });
  expect([status, status === 200 ? "" : body.toString()]).toEqual([200, ""]);
  return pixelsOf(body);
};

const isBare = ({ data }: Pixels): boolean => {
  for (let n = 0; n < data.length; n += 3)
    if (Math.abs((data[n] ?? 0) - 0) > 6 || Math.abs((data[n + 1] ?? 0) - 120) > 6) return false;
  return true;
};

/** Tiles of a page reduced by a factor, joined. */
const joined = async (
  server: TestServer,
  factor: number,
  turn: string,
  whole: Pixels,
): Promise<Pixels> => {
  const step = 128 * factor;
  const tiles: { x: number; y: number; pixels: Pixels }[] = [];
  for (let y = 0; y < page.height; y += step)
    for (let x = 0; x < page.width; x += step) {
      const width = Math.min(step, page.width - x);
      const height = Math.min(step, page.height - y);
      const path = `a.tif/${x},${y},${width},${height}/${width / factor},/${turn}/default.png`;
      const pixels = await ask(server, path);
      const place = { x: x / factor, y: y / factor };
      const flipped = turn.startsWith("!") ? whole.width - place.x - pixels.width : place.x;
      tiles.push(
        turn.endsWith("90")
          ? { x: whole.width - place.y - pixels.width, y: place.x, pixels }
          : { x: flipped, y: place.y, pixels },
      );
    }
  return assemble(whole, tiles);
};

describe.each([
  ["text", () => text],
  ["a picture in a corner", () => picture(join(marks, "white.png"))],
  ["a picture all over", () => picture(join(marks, "white.png"), "REPEAT")],
  ["a picture as large as fits", () => picture(join(marks, "white.png"), "scaled")],
])("%s", (_, values) => {
  it.each(["0", "90", "!0"])("is continuous across tiles, at rotation %s", async (turn) => {
    const server = await start(values());
    for (const factor of [1, 2]) {
      const whole = await ask(server, `a.tif/full/${page.width / factor},/${turn}/default.png`);
      expect(isBare(whole)).toBe(false);
      const parts = await joined(server, factor, turn, whole);
      expect(difference(parts, whole).max).toBe(0);
    }
  });

  it("is upright on images at any angle, bitonal ones too", async () => {
    const server = await start(values());
    for (const path of [
      "full/max/33.3/default.png",
      "full/max/!90/bitonal.jpg",
      "full/max/0/gray.webp",
    ]) {
      const bare = await start({});
      const [marked, plain] = [
        await ask(server, `a.tif/${path}`),
        await ask(bare, `a.tif/${path}`),
      ];
      expect(marked.width).toBe(plain.width);
      expect(difference(marked, plain).max).toBeGreaterThan(50);
    }
  });

  it("is drawn on files that could be sent unchanged", async () => {
    const server = await start({ ...values(), "processor.whole_files": "unchanged" });
    expect(isBare(await ask(server, "a.jpg/full/max/0/default.jpg"))).toBe(false);
  });
});

describe("the overlay of every image", () => {
  it("is omitted below the thresholds", async () => {
    const server = await start({
      ...text,
      "overlays.BasicStrategy.output_width_threshold": 256,
      "overlays.BasicStrategy.output_height_threshold": 192,
    });
    expect(isBare(await ask(server, "a.tif/full/256,/0/default.png"))).toBe(false);
    expect(isBare(await ask(server, "a.tif/full/255,/0/default.png"))).toBe(true);
    // The tile of a page counts as the page.
    expect(isBare(await ask(server, "a.tif/384,256,128,128/128,/0/default.png"))).toBe(false);
  });

  it("is drawn on each response if so placed, as in Cantaloupe", async () => {
    const mark = picture(join(marks, "mark.png"));
    const server = await start({ ...mark, "overlays.placement": "response" });
    const tile = await ask(server, "a.tif/0,0,128,128/128,/0/default.png");
    const own = { x: 128 - 50, y: 128 - 40, width: 40, height: 30 };
    expect(isBare(partOf(tile, own))).toBe(false);
    expect([...partOf(tile, { ...own, width: 1, height: 1 }).data].slice(0, 3)).toEqual([
      255, 0, 0,
    ]);
  });

  it("changes as soon as its file does, in responses and ETags", async () => {
    const path = join(marks, "changing.png");
    await drawMark(path, "#ff0000");
    const server = await start(picture(path));
    const first = await server.ask("/iiif/3/a.tif/full/max/0/default.png");
    await drawMark(path, "#0000ff");
    await utimes(path, new Date(), new Date(Date.now() + 5_000));
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const etag = String(first.headers.etag);
    const second = await server.ask("/iiif/3/a.tif/full/max/0/default.png", {
      headers: { "if-none-match": etag },
    });
    expect([second.status, second.headers.etag === etag]).toEqual([200, false]);
    expect(second.body.equals(first.body)).toBe(false);
    await rm(path);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const third = await server.ask("/iiif/3/a.tif/full/max/0/default.png");
    expect([third.status, third.headers.etag]).toEqual([200, second.headers.etag]);
  });

  it("makes requests fail with 500 when it cannot be loaded, cached or not", async () => {
    const broken = join(marks, "broken.png");
    await writeFile(broken, "no picture");
    const places = [join(marks, "none.png"), broken, marks, "http://127.0.0.1:1/mark.png"];
    for (const place of places) {
      const server = await start(picture(place));
      for (const path of ["full/max/0/default.jpg", "0,0,128,128/max/0/default.jpg"]) {
        const { status, headers, body } = await server.ask(`/iiif/3/a.tif/${path}`);
        expect([status, headers["content-type"]?.includes("image")]).toEqual([500, false]);
        expect(body.toString()).not.toContain(marks);
      }
      expect((await server.ask("/iiif/3/a.tif/info.json")).status).toBe(200);
    }
  });
});

const rules = (mark: string) => `
import type { Context, OverlayAnswer } from "vitrine";

export default class CustomDelegate {
  declare context: Context;
  async overlay(): Promise<OverlayAnswer | string | null> {
    const { cookies, operations } = this.context;
    const user = cookies["user"] ?? "";
    if (operations === null) throw new Error("the image should be known");
    if (user === "clerk") return null;
    if (user === "confused") return "bottom right";
    if (user === "odd") return { string: "x", position: "somewhere" };
    if (user === "unlucky") throw new Error("no connection to 10.0.0.7");
    if (user === "patient") return new Promise(() => {});
    if (user === "spy") return { image: "http://127.0.0.1:1/a.png", position: "center" };
    if (user === "painter") return { image: ${JSON.stringify(mark)}, position: "center" };
    return { string: user, position: "top left", font_size: 40, word_wrap: user === "wrapped words" };
  }
  authorize(): boolean {
    const [mark] = (this.context.operations ?? []).filter((one) => String(one["class"]).endsWith("Overlay"));
    const user = this.context.cookies["user"];
    if (user === "clerk") return mark === undefined;
    if (mark === undefined) return true;
    if (user === "painter") return mark["class"] === "ImageOverlay" && mark["position"] === "C";
    return mark["string"] === user && mark["position"] === "NW" && mark["color"] === "#FFFFFFFF";
  }
}
`;

describe("an overlay that a delegate chooses", () => {
  let server: TestServer;
  beforeAll(async () => {
    const script = join(marks, "delegate.ts");
    await writeFile(script, rules(join(marks, "mark.png")));
    server = await start({
      "overlays.strategy": "ScriptStrategy",
      "delegate_script.enabled": true,
      "delegate_script.pathname": script,
      "delegate_script.timeout": 1,
      "cache.client.enabled": true,
    });
  });
  const whole = "a.tif/full/max/0/default.png";

  it("is the delegate's result for each user, and absent for null", async () => {
    expect(isBare(await ask(server, whole, "clerk"))).toBe(true);
    const anna = await ask(server, whole, "Anna");
    expect(isBare(anna)).toBe(false);
    expect(isBare(await ask(server, whole, "painter"))).toBe(false);
    const wrapped = await ask(server, "a.tif/full/256,/0/default.png", "wrapped words");
    expect(isBare(partOf(wrapped, { x: 0, y: 60, width: 100, height: 30 }))).toBe(false);
  });

  it.each(["confused", "odd", "unlucky", "patient", "spy"])(
    "makes the request fail with 500 when the method fails: %s",
    async (user) => {
      const before = await server.ask(`/iiif/3/${whole}`, { headers: { cookie: "user=clerk" } });
      const { status, body, headers } = await server.ask(`/iiif/3/${whole}`, {
        headers: { cookie: `user=${user}`, "if-none-match": String(before.headers.etag) },
      });
      expect([status, headers.etag]).toEqual([500, undefined]);
      expect(body.includes("10.0.0.7")).toBe(false);
    },
  );

  it("never reaches another user in a thousand mixed requests, whatever is cached", async () => {
    const { whole: number } = random(5);
    const users = ["Anna", "Bertha", "clerk", "painter"];
    const paths = ["full/max/0", "full/256,/0", "0,0,128,128/128,/0", "0,0,256,256/128,/90"];
    const right = new Map<string, Buffer>();
    for (const user of users)
      for (const path of paths) {
        const fresh = await server.ask(`/iiif/3/a.tif/${path}/default.png?cache=false`, {
          headers: { cookie: `user=${user}` },
        });
        expect(fresh.status).toBe(200);
        right.set(`${user} ${path}`, fresh.body);
      }
    const tags = new Map<string, string>();
    const one = async (): Promise<void> => {
      const user = users[number(0, users.length - 1)] as string;
      const path = paths[number(0, paths.length - 1)] as string;
      const other = tags.get(`${users[number(0, users.length - 1)]} ${path}`);
      const answer = await server.ask(`/iiif/3/a.tif/${path}/default.png`, {
        headers: { cookie: `user=${user}`, ...(other ? { "if-none-match": other } : {}) },
      });
      const name = `${user} ${path}`;
      if (answer.status === 304) {
        expect(tags.get(name)).toBe(other);
        return;
      }
      tags.set(name, String(answer.headers.etag));
      expect(answer.body.equals(right.get(name) as Buffer)).toBe(true);
    };
    for (let n = 0; n < 50; n++) await Promise.all(Array.from({ length: 20 }, one));
  });
});
