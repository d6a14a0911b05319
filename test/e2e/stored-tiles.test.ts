import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { run } from "../../src/cli/program.ts";
import { styleFor } from "../../src/cli/style.ts";
import { openSeadragonTiles, type ViewedInfo } from "../openseadragon.ts";
import { startServer } from "./app.ts";
import { asImage, drawGrid } from "./grid.ts";

const convert = async (...args: readonly string[]): Promise<void> => {
  let said = "";
  const code = await run(["convert", ...args], {
    out: () => {},
    err: (text) => {
      said += text;
    },
    outStyle: styleFor(false),
    errStyle: styleFor(false),
    outColumns: undefined,
    errColumns: undefined,
    signal: new AbortController().signal,
  });
  expect({ code, said }).toEqual({ code: 0, said });
};

it.each([[[]], [["--tile", "128"]]])(
  "OpenSeadragon gets the tiles that 'vitrine convert' wrote with %j as stored",
  { timeout: 60_000 },
  async (options) => {
    const server = await startServer(async (folder) => {
      const picture = asImage(drawGrid(2048, 1536, { square: 100, seed: 4 }));
      await writeFile(join(folder, "a.jpg"), await picture.jpeg({ quality: 90 }).toBuffer());
      await convert(join(folder, "a.jpg"), join(folder, "a.tif"), ...options);
    });
    try {
      const file = await readFile(join(server.folder, "a.tif"));
      const info: ViewedInfo = JSON.parse(
        (await server.ask("/iiif/3/a.tif/info.json")).body.toString(),
      );
      expect(info.tiles).toHaveLength(1);
      const urls = openSeadragonTiles(info);
      let stored = 0;
      for (const url of urls) {
        const { status, body } = await server.ask(new URL(url).pathname);
        expect(status).toBe(200);
        // Stored data is sent with headers of its own.
        if (file.includes(body.subarray(body.length * 0.75))) stored++;
      }
      expect(urls.length).toBeGreaterThan(10);
      expect(stored / urls.length).toBeGreaterThanOrEqual(0.9);
    } finally {
      await server.close();
    }
  },
);
