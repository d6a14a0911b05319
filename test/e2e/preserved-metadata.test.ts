import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FormatName } from "../../src/core/formats.ts";
import { readMetadata } from "../../src/formats/embedded-metadata.ts";
import { exifParts, iptcBlock, photoshopBlock, segment, tiffOf } from "../metadata-files.ts";
import { memoryReader } from "../readers.ts";
import { type Answer, startServer, type TestServer } from "./app.ts";

/** Redacts and writes metadata for clients that request it. */
const rules = `
export default class CustomDelegate {
  redactions() {
    return this.context.cookies.user === "reader" ? [{ x: 0, y: 0, width: 60, height: 60 }] : [];
  }
  metadata() {
    return this.context.cookies.user === "author"
      ? '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" dc:rights="own"/></rdf:RDF>'
      : null;
  }
}
`;

const size = { width: 512, height: 384 };
const xmp = (rights: string): string =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6" dc:rights="${rights}"/></rdf:RDF></x:xmpmeta>`;

const drawFiles = async (folder: string): Promise<void> => {
  const file = (name: string): string => join(folder, name);
  const picture = sharp({ create: { ...size, channels: 3, background: "#2a6" } });
  await picture
    .clone()
    .withXmp(xmp("of the source"))
    .tiff({ compression: "jpeg", tile: true, tileWidth: 128, tileHeight: 128, pyramid: true })
    .toFile(file("tiles.tif"));
  const jpeg = await picture.clone().jpeg().toBuffer();
  // Rotated by 90°, with a preview in the second directory of Exif and in Photoshop's resources.
  const exif = segment(
    0xe1,
    "Exif\0\0",
    tiffOf(exifParts(true), { littleEndian: true }),
    "preview",
  );
  const thumbnail = Buffer.from("8BIM\x04\x0c\0\0\0\0\0\x08preview!", "latin1");
  const photoshop = segment(0xed, "Photoshop 3.0\0", thumbnail, photoshopBlock(iptcBlock()));
  const packet = segment(0xe1, "http://ns.adobe.com/xap/1.0/\0", xmp("of the source"));
  await writeFile(
    file("photo.jpg"),
    Buffer.concat([jpeg.subarray(0, 2), exif, packet, photoshop, jpeg.subarray(2)]),
  );
  await writeFile(
    file("broken.jpg"),
    Buffer.concat([
      jpeg.subarray(0, 2),
      segment(0xe1, "Exif\0\0", "II*\0\x08\0\0\0\xff\xff damaged"),
      segment(0xe1, "http://ns.adobe.com/xap/1.0/\0", "<rdf:RDF <"),
      segment(0xed, "Photoshop 3.0\0", "8BIM\x04\x04\0\0\0\0\0\x09\x1c\x02\x69\x7f\xffdama"),
      jpeg.subarray(2),
    ]),
  );
};

let server: TestServer;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-preserved-test-"));
  const script = join(folder, "delegate.js");
  await writeFile(script, rules);
  server = await startServer(drawFiles, {
    "processor.metadata.preserve": true,
    "delegate_script.enabled": true,
    "delegate_script.pathname": script,
    "cache.server.derivative.enabled": true,
    "http.server_timing": "all",
  });
});

afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const ask = (path: string, user = "anyone"): Promise<Answer> =>
  server.ask(`/iiif/3/${path}`, { headers: { cookie: `user=${user}` } });

const { signal } = new AbortController();

const readIn = (body: Uint8Array, path: string) => {
  const format = path.slice(path.lastIndexOf(".") + 1) as FormatName;
  return readMetadata(memoryReader(body), { format }, signal);
};

describe("preserved metadata of files", () => {
  it.each(["jpg", "png", "tif", "webp", "avif", "jp2", "jxl", "gif"] as const)(
    "is in derivatives as %s, as far as the format supports it",
    async (format) => {
      const path = `photo.jpg/0,0,300,300/100,/0/default.${format}`;
      const { status, body } = await ask(path);
      const { exif, iptc, xmp: found, problems } = await readIn(body, path);
      expect([status, problems]).toEqual([200, []]);
      expect(found?.properties).toEqual({ "dc:rights": "of the source" });
      if (format !== "gif") {
        expect(exif).toMatchObject({ image: { Make: "Vitrine" }, gps: { GPSLatitudeRef: "N" } });
        expect(exif?.image?.["Orientation"] ?? 1).toBe(1);
        expect(exif?.thumbnail).toBeUndefined();
      }
      const hasIptc = format === "jpg" || format === "tif" || format === "jp2";
      expect(iptc?.["Headline"]).toBe(hasIptc ? "Gemälde" : undefined);
      expect(body.includes("preview")).toBe(false);
    },
  );

  it("is in stored tiles, which are not decoded", async () => {
    for (const _ of ["read", "remembered"]) {
      const path = "tiles.tif/128,0,128,128/max/0/default.jpg";
      const { body, headers } = await ask(path);
      const { xmp: found } = await readIn(body, path);
      expect(headers["server-timing"]).toMatch(/stored|cache/);
      expect(found?.properties["dc:rights"]).toBe("of the source");
    }
    const second = await ask("tiles.tif/0,128,128,128/max/0/default.jpg");
    expect(second.body.includes("of the source")).toBe(true);
    const scaled = await ask("tiles.tif/0,0,200,200/50,/0/default.jpg");
    expect(scaled.body.includes("of the source")).toBe(true);
  });

  it("contains no preview of anything redacted, or any other", async () => {
    const path = "photo.jpg/full/max/0/default.jpg";
    const [hidden, shown] = [await ask(path, "reader"), await ask(path)];
    for (const { status, body } of [hidden, shown]) {
      expect(status).toBe(200);
      expect(body.includes("preview")).toBe(false);
      expect((await readIn(body, path)).exif).toMatchObject({ image: { Make: "Vitrine" } });
    }
    expect(hidden.headers.etag).not.toBe(shown.headers.etag);
  });

  it("is overridden by the delegate's XMP, while Exif and IPTC stay", async () => {
    const path = "photo.jpg/full/200,/0/default.jpg";
    const own = await readIn((await ask(path, "author")).body, path);
    expect(own.xmp?.properties).toEqual({ "dc:rights": "own" });
    expect(own.exif?.image?.["Make"]).toBe("Vitrine");
    expect(own.iptc?.["Headline"]).toBe("Gemälde");
    const others = await readIn((await ask(path)).body, path);
    expect(others.xmp?.properties).toEqual({ "dc:rights": "of the source" });
  });

  it("is omitted if damaged, and the image is still sent", async () => {
    for (const view of ["full/max", "0,0,100,100/50,"]) {
      const path = `broken.jpg/${view}/0/default.jpg`;
      const { status, body } = await ask(path);
      const { exif, iptc, xmp: found, problems } = await readIn(body, path);
      expect({ status, exif, iptc, found, problems }).toEqual({ status: 200, problems: [] });
    }
  });

  it("is omitted where that is disabled, under another key", async () => {
    const path = "photo.jpg/full/150,/0/default.jpg";
    const before = await ask(path);
    server.config.replace({ ...server.config.current, "processor.metadata.preserve": false });
    const after = await ask(path);
    server.config.replace({ ...server.config.current, "processor.metadata.preserve": true });
    expect([before, after].map(({ body }) => body.includes("of the source"))).toEqual([
      true,
      false,
    ]);
    expect(after.headers.etag).not.toBe(before.headers.etag);
  });

  it("is complete if whole files are sent unchanged and no delegate writes any", async () => {
    const whole = await startServer(drawFiles, {
      "processor.metadata.preserve": true,
      "processor.whole_files": "unchanged",
    });
    try {
      const { body } = await whole.ask("/iiif/3/photo.jpg/full/max/0/default.jpg");
      expect(body.includes("preview")).toBe(true);
      expect(body.toString("latin1").split("of the source")).toHaveLength(2);
      const part = await whole.ask("/iiif/3/photo.jpg/full/100,/0/default.jpg");
      expect(part.body.includes("of the source")).toBe(true);
      // Without caches: read for the first, cached for the second, which is synchronous.
      for (const tile of ["0,0,128,128/max", "128,0,128,128/max", "0,0,256,256/128,"]) {
        const path = `tiles.tif/${tile}/0/default.jpg`;
        const { body: stored } = await whole.ask(`/iiif/3/${path}`);
        const { xmp: found, problems } = await readIn(stored, path);
        expect([found?.properties["dc:rights"], problems]).toEqual(["of the source", []]);
      }
    } finally {
      await whole.close();
    }
  });
});
