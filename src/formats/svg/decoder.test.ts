import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { plan } from "../../../test/plans.ts";
import { memoryReader } from "../../../test/readers.ts";
import { Config } from "../../config/store.ts";
import type { Rect, Size } from "../../core/geometry.ts";
import type { Raster } from "../shared/codec.ts";
import { createSvgDecoder } from "./decoder.ts";
import { svgKeys } from "./keys.ts";
import { createSvgProcesses, type SvgProcesses, svgProcessLimits } from "./processes.ts";

const settings = new Config().view(svgKeys);
const signal = new AbortController().signal;
const starting = 30_000;

const pools: SvgProcesses[] = [];
const decoderWith = (given: Record<string, unknown> = {}) => {
  const own = new Config(given).view(svgKeys);
  const processes = createSvgProcesses(() => svgProcessLimits(own(), { threads: 1 }));
  pools.push(processes);
  return createSvgDecoder(own, processes);
};
const decoder = decoderWith();
afterAll(() => Promise.all(pools.map((pool) => pool.close())));

const svg = (attributes: string, content: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${content}</svg>`;

interface Asked {
  readonly region?: Rect;
  readonly atLeast?: Size;
  readonly by?: typeof decoder;
}

const read = async (
  text: string | Uint8Array,
  { region, atLeast, by = decoder }: Asked = {},
): Promise<Raster> => {
  const reader = memoryReader(Buffer.from(text as string));
  const info = await by.info(reader, signal);
  const whole = { x: 0, y: 0, ...info.pages[0].size };
  const wanted = region ?? whole;
  const window = { page: 0, region: wanted, atLeast: atLeast ?? wanted };
  return by.read(reader, info, window, plan, signal);
};

const sizeOf = async (text: string): Promise<Size> =>
  (await decoder.info(memoryReader(Buffer.from(text)), signal)).pages[0].size;

const pixelsOf = ({ image }: Raster): Promise<Buffer> => image.raw().toBuffer();

const pixelAt = async (raster: Raster, x: number, y: number): Promise<number[]> => {
  const at = (y * raster.size.width + x) * 4;
  return [...(await pixelsOf(raster)).subarray(at, at + 4)];
};

const square = '<rect x="2" y="2" width="4" height="4" fill="#f00"/>';

describe("the size of an SVG", () => {
  test.each([
    ['width="40" height="30"', { width: 40, height: 30 }],
    ['width="1in" height="25.4mm"', { width: 96, height: 96 }],
    ['width="210mm" height="297mm"', { width: 794, height: 1123 }],
    ['width="72pt" height="6pc"', { width: 96, height: 96 }],
    ['viewBox="0 0 120 50"', { width: 120, height: 50 }],
    ['height="50" viewBox="0 0 100 200"', { width: 25, height: 50 }],
    ['width="100%" height="100%" viewBox="0,0,48,36"', { width: 48, height: 36 }],
    ["", { width: 300, height: 150 }],
  ])("with %s", async (attributes, size) => {
    expect(await sizeOf(svg(attributes, ""))).toEqual(size);
  });

  test.each([['width="-1" height="1"'], ['width="0" height="4"'], ['width="1e9" height="1e9"']])(
    "is rejected with %s",
    async (attributes) => {
      await expect(sizeOf(svg(attributes, ""))).rejects.toMatchObject({ failure: "unreadable" });
    },
  );
});

describe("an SVG document", () => {
  test("is rendered on a transparent background", { timeout: starting }, async () => {
    const raster = await read(svg('width="8" height="8"', square));
    expect(raster.size).toEqual({ width: 8, height: 8 });
    expect(await pixelAt(raster, 3, 3)).toEqual([255, 0, 0, 255]);
    expect(await pixelAt(raster, 0, 0)).toEqual([0, 0, 0, 0]);
  });

  test("is read from gzip, other encodings, prefixed names and entities", async () => {
    const plain = svg('width="8" height="8"', square);
    const red = [255, 0, 0, 255];
    expect(await pixelAt(await read(gzipSync(plain)), 3, 3)).toEqual(red);
    const latin = Buffer.from(
      `<?xml version="1.0" encoding="ISO-8859-1"?>${svg('width="8" height="8"', `<!-- ü -->${square}`)}`,
      "latin1",
    );
    expect(await pixelAt(await read(latin), 3, 3)).toEqual(red);
    const prefixed =
      '<s:svg xmlns:s="http://www.w3.org/2000/svg" width="8" height="8"><s:rect width="8" height="8" fill="red"/><rect xmlns="urn:other" width="8" height="8"/></s:svg>';
    expect(await pixelAt(await read(prefixed), 3, 3)).toEqual(red);
    const declared = `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://localhost/a.dtd" [<!-- ]> --><!ENTITY c '#f00'>]>${svg('width="8" height="8"', '<rect width="8" height="8" fill="&c;"/>')}`;
    expect(await pixelAt(await read(declared), 3, 3)).toEqual(red);
  });

  test("keeps the meaning of lengths and its own viewBox in a region", async () => {
    const text = svg(
      'width="80" height="40" viewBox="0 0 40 40" preserveAspectRatio="xMinYMin meet" style="width:10px"',
      '<rect width="100%" height="50%" fill="#00f"/>',
    );
    const raster = await read(text, {
      region: { x: 20, y: 10, width: 40, height: 20 },
      atLeast: { width: 80, height: 40 },
    });
    expect(raster.size).toEqual({ width: 80, height: 40 });
    expect(raster.covers).toEqual({ x: 20, y: 10, width: 40, height: 20 });
    // Blue ends at half the height and at half the width.
    expect(await pixelAt(raster, 38, 18)).toEqual([0, 0, 255, 255]);
    expect(await pixelAt(raster, 42, 18)).toEqual([0, 0, 0, 0]);
    expect(await pixelAt(raster, 38, 22)).toEqual([0, 0, 0, 0]);
  });

  test("gives the same pixels in tiles as in the whole image", async () => {
    const circles = Array.from(
      { length: 40 },
      (_, index) =>
        `<circle cx="${(index * 37) % 100}" cy="${(index * 53) % 100}" r="${4 + (index % 9)}" fill="hsl(${index * 40} 80% 50%)" opacity="0.7"/>`,
    );
    const text = svg('width="100" height="100"', circles.join(""));
    const whole = await read(text, { atLeast: { width: 400, height: 400 } });
    const tile = await read(text, {
      region: { x: 25, y: 50, width: 25, height: 25 },
      atLeast: { width: 100, height: 100 },
    });
    const cut = await whole.image
      .extract({ left: 100, top: 200, width: 100, height: 100 })
      .raw()
      .toBuffer();
    const pixels = await pixelsOf(tile);
    expect(pixels).toHaveLength(cut.length);
    const apart = pixels.filter((value, at) => Math.abs(value - (cut[at] ?? 0)) > 2).length;
    expect(apart / pixels.length).toBeLessThan(0.005);
  });
});

describe("a hostile SVG document", () => {
  test("reads no files and contacts no servers", async () => {
    const asked: string[] = [];
    const server = createServer(({ url = "" }, answer) => {
      asked.push(url);
      answer.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const file = new URL("../../../samples/", import.meta.url).href;
    try {
      const raster = await read(
        svg(
          'width="8" height="8"',
          [
            `<style>@import url("${host}/a.css"); rect { fill: url("${host}/b.svg#x"); }</style>`,
            `<image width="8" height="8" xlink:href="${host}/c.png"/>`,
            `<image width="8" height="8" href="${file}chart.jpg"/><image width="8" height="8" href="samples/chart.jpg"/>`,
            `<use xlink:href="${host}/d.svg#a"/><feImage href="${host}/e.png"/>`,
            `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${host}/f.svg"/>`,
            `<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="${host}/g"/></foreignObject>`,
            `<script href="${host}/h.js"/>`,
          ].join(""),
        ),
      );
      expect(new Set(await pixelsOf(raster))).toEqual(new Set([0]));
      expect(asked).toEqual([]);
    } finally {
      server.close();
    }
  });

  test("may contain embedded images", async () => {
    const picture = await sharp({
      create: { width: 2, height: 2, channels: 3, background: "#0f0" },
    })
      .png()
      .toBuffer();
    const raster = await read(
      svg(
        'width="8" height="8"',
        `<image width="8" height="8" href="data:image/png;base64,${picture.toString("base64")}"/>`,
      ),
    );
    expect(await pixelAt(raster, 4, 4)).toEqual([0, 255, 0, 255]);
  });

  const declaring = (declarations: string): string =>
    `<!DOCTYPE svg [${declarations}]>${svg('width="8" height="8"', "<text>&a;</text>")}`;

  test.each([
    ["an entity that is a file", declaring('<!ENTITY a SYSTEM "file:///etc/hostname">')],
    ["entities made of entities", declaring('<!ENTITY b "bb"><!ENTITY a "&b;&b;">')],
    ["entities of parameters", declaring('<!ENTITY % p "x"> %p;')],
    ["a long entity", declaring(`<!ENTITY a "${"a".repeat(5_000)}">`)],
    [
      "an entity used too often",
      `<!DOCTYPE svg [<!ENTITY a "${"a".repeat(4_000)}">]>${svg("", `<text>${"&a;".repeat(1_000)}</text>`)}`,
    ],
    ["a document type without end", `<!DOCTYPE svg [${"<!--".repeat(1_000)}`],
    ["a start tag without end", '<svg width="8"'],
    ["another root", "<html><svg/></html>"],
    ["a declaration without end", "<?xml "],
    ["another encoding than it says", Buffer.from('<?xml encoding="no-such"?><svg/>')],
    ["bytes that are no text", Buffer.from([0x3c, 0x73, 0x76, 0x67, 0x20, 0xff, 0x3e])],
    ["gzip that is damaged", gzipSync("<svg/>").subarray(0, 15)],
    ["gzip that comes to too much", gzipSync(Buffer.alloc(40_000_000, 32))],
  ])("is rejected with %s", async (_, text) => {
    await expect(read(text)).rejects.toMatchObject({ failure: "unreadable" });
  });

  test.each([
    ["elements nested too deep", svg('width="8" height="8"', "<g>".repeat(20_000))],
    ["no end", '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect'],
  ])("is rejected by the renderer with %s", async (_, text) => {
    await expect(read(text)).rejects.toMatchObject({ failure: "unreadable" });
  });

  const blur = svg(
    'width="4000" height="4000"',
    '<filter id="f" x="-500%" y="-500%" width="2000%" height="2000%"><feGaussianBlur stdDeviation="1000"/><feTurbulence baseFrequency="0.001" numOctaves="1000"/></filter><rect width="100%" height="100%" filter="url(#f)"/>',
  );

  test("is rejected as late when it takes too long, and others are rendered afterwards", {
    timeout: starting,
  }, async () => {
    const by = decoderWith({ "processor.svg.timeout": 1 });
    await expect(read(blur, { by })).rejects.toMatchObject({ failure: "late" });
    const raster = await read(svg('width="8" height="8"', square), { by });
    expect(await pixelAt(raster, 3, 3)).toEqual([255, 0, 0, 255]);
  });

  test("is rejected when it takes too much memory", { timeout: starting }, async () => {
    const by = decoderWith({ "processor.svg.max_memory_bytes": 134_217_728 });
    await expect(read(blur, { by })).rejects.toMatchObject({ failure: "unreadable" });
  });

  test("is rejected when the region exceeds processor.max_decoded_bytes", async () => {
    const { width, height } = await sizeOf(svg('width="30000" height="30000"', square));
    expect({ width, height }).toEqual({ width: 30_000, height: 30_000 });
    await expect(read(svg('width="30000" height="30000"', square))).rejects.toMatchObject({
      failure: "unreadable",
      message: expect.stringContaining(`${settings()["processor.max_decoded_bytes"]} bytes`),
    });
  });
});
