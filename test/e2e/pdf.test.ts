import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pixelsOf } from "../likeness.ts";
import { drawnPage, pdfOf, rectangle } from "../pdf.ts";
import { json, startServer, type TestServer } from "./app.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer(
    async (folder) => {
      const second = { box: [0, 0, 400, 300], content: rectangle("0 0 1", 0, 0, 400, 300) };
      await writeFile(join(folder, "a.pdf"), pdfOf([drawnPage, second]));
      await writeFile(join(folder, "broken.pdf"), "%PDF-1.7\nnothing of the sort");
    },
    { "endpoint.iiif.min_tile_size": 200, max_scale: 2 },
  );
});
afterAll(() => server.close());

describe("a PDF document", () => {
  it("is an image at processor.dpi, in tiles of the minimum size", async () => {
    const info = json(await server.ask("/iiif/3/a.pdf/info.json"));
    expect(info).toMatchObject({ width: 501, height: 376 });
    expect(info.tiles).toEqual([{ width: 200, height: 200, scaleFactors: [1, 2, 4] }]);
  });

  it("has pages that are requested by number", async () => {
    expect(json(await server.ask("/iiif/3/a.pdf;2/info.json"))).toMatchObject({
      width: 833,
      height: 625,
    });
    const { status, body } = await server.ask("/iiif/3/a.pdf;2/full/100,/0/default.png");
    expect(status).toBe(200);
    const pixels = await pixelsOf(body);
    expect([pixels.width, pixels.height]).toEqual([100, 75]);
    expect([...pixels.data.subarray(0, 3)]).toEqual([0, 0, 255]);
    expect((await server.ask("/iiif/3/a.pdf;3/full/max/0/default.jpg")).status).toBe(404);
  });

  it.each([
    ["200,0,200,200/200,/0/default.jpg", 200, 200],
    ["0,0,400,376/200,/90/gray.png", 188, 200],
    ["full/^1000,/0/default.webp", 1000, 750],
  ])("is served as %s", async (path, width, height) => {
    const { status, body } = await server.ask(`/iiif/3/a.pdf/${path}`);
    expect(status, body.subarray(0, 300).toString()).toBe(200);
    const pixels = await pixelsOf(body);
    expect([pixels.width, pixels.height]).toEqual([width, height]);
  });

  it("is rejected if damaged", async () => {
    expect((await server.ask("/iiif/3/broken.pdf/info.json")).status).toBe(501);
  });

  it("can also be written", async () => {
    const { status, headers, body } = await server.ask("/iiif/3/a.pdf/full/200,/0/default.pdf");
    expect({ status, type: headers["content-type"] }).toEqual({
      status: 200,
      type: "application/pdf",
    });
    expect(body.toString("latin1")).toContain("/Subtype /Image /Width 200 ");
  });
});
