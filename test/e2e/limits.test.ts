import { afterEach, describe, expect, it } from "vitest";
import { readInformation } from "../../bench/image.ts";
import { lists } from "../../bench/lists.ts";
import { round } from "../../src/core/geometry.ts";
import { json, startServer, type TestServer } from "./app.ts";
import { expectRefusal, expectShown } from "./checks.ts";
import type { Shown } from "./grid.ts";
import { drawPictures, large, small } from "./pictures.ts";
import { type ApiVersion, apiVersions, basePath, imagePath, infoPath } from "./requests.ts";

const servers: TestServer[] = [];
const start = async (values: Readonly<Record<string, unknown>>): Promise<TestServer> => {
  const server = await startServer(drawPictures, { "endpoint.iiif.1.enabled": true, ...values });
  servers.push(server);
  return server;
};
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const whole: Shown["region"] = [0, 0, 300, 200];

/** Checks one size of the 300×200 image: its result, or its refusal. */
const check = async (
  server: TestServer,
  [version, size, outcome]: readonly [ApiVersion, string, readonly [number, number] | number],
): Promise<void> => {
  const answer = await server.ask(imagePath(version, "small.png", { size, format: "png" }));
  if (typeof outcome === "number") expectRefusal(answer, [outcome]);
  else await expectShown(answer, small, { region: whole, size: outcome });
};

describe("max_pixels", () => {
  it("reduces flexible sizes, and rejects others", async () => {
    const server = await start({ max_pixels: 10_000 });
    for (const row of [
      [3, "max", [122, 81]],
      [3, "^max", [122, 81]],
      [3, "!200,200", [122, 81]],
      [3, "^!400,400", [122, 81]],
      [3, "!90,90", [90, 60]],
      [3, "120,80", [120, 80]],
      [3, "300,200", 400],
      [3, "150,", 400],
      [3, "pct:50", 400],
      [2, "max", [122, 81]],
      [2, "full", 400],
      [2, "150,", 400],
      [2, "120,", [120, 80]],
      [1, "full", 400],
    ] as const)
      await check(server, row);
  });

  it("does not restrict regions", async () => {
    const server = await start({ max_pixels: 10_000 });
    const path = imagePath(3, "small.png", { region: "100,100,100,100" });
    await expectShown(await server.ask(path), small, {
      region: [100, 100, 100, 100],
      size: [100, 100],
    });
  });

  it("is in info.json, and nothing larger is listed there", async () => {
    const server = await start({ max_pixels: 500_000 });
    const info = json(await server.ask(infoPath(3, "large.tif")));
    expect(info.maxArea).toBe(500_000);
    for (const { width, height } of Array.isArray(info.sizes) ? info.sizes : [])
      expect(width * height).toBeLessThanOrEqual(500_000);
    expect(json(await server.ask(infoPath(2, "large.tif"))).profile).toMatchObject([
      expect.any(String),
      { maxArea: 500_000 },
    ]);
  });
});

describe("max_scale", () => {
  it("limits how far a region may be enlarged, with a caret in version 3", async () => {
    const server = await start({ max_scale: 2 });
    for (const row of [
      [3, "^600,400", [600, 400]],
      [3, "^450,", [450, 300]],
      [3, "^pct:200", [600, 400]],
      [3, "^max", [600, 400]],
      [3, "^!900,400", [600, 400]],
      [3, "^601,", 400],
      [3, "^pct:201", 400],
      [3, "^99999999999,99999999999", 400],
      [3, "450,", 400],
      [3, "max", [300, 200]],
      [2, "600,", [600, 400]],
      [2, "pct:200", [600, 400]],
      [2, "601,", 400],
      [2, "full", [300, 200]],
      [1, ",400", [600, 400]],
      [1, "pct:201", 400],
    ] as const)
      await check(server, row);
  });

  it("is reflected in info.json, never without a limit", async () => {
    for (const [values, may] of [
      [{ max_scale: 2 }, true],
      [{ max_scale: 1 }, false],
      [{ max_scale: 0 }, true],
    ] as const) {
      const server = await start(values);
      const info = json(await server.ask(infoPath(3, "small.png")));
      const features = JSON.stringify(info);
      expect(features.includes("sizeUpscaling")).toBe(may);
      if (may) expect(info.maxArea).toBeGreaterThan(0);
    }
  });
});

describe("restrict_to_sizes", () => {
  it("allows only the sizes and tiles in info.json, however they are rotated", async () => {
    const server = await start({ "endpoint.iiif.restrict_to_sizes": true });
    const info = json(await server.ask(infoPath(3, "large.tif")));
    const sizes = Array.isArray(info.sizes) ? info.sizes : [];
    expect(sizes.length).toBeGreaterThan(1);
    const ask = (parts: Parameters<typeof imagePath>[2]) =>
      server.ask(imagePath(3, "large.tif", parts));
    for (const { width, height } of sizes) {
      const parts = { size: `${width},${height}`, rotation: "90", quality: "gray" };
      expect((await ask(parts)).status).toBe(200);
    }
    for (const parts of [
      { size: "123," },
      { region: "0,0,100,100" },
      { region: "10,10,512,512", size: "512,512" },
      { region: "square", size: "512,512" },
    ])
      expectRefusal(await ask(parts), [403]);
    const image = readInformation(basePath(3, "large.tif"), info);
    for (const tile of lists.tiles([image], { count: 1000, seed: 1 }))
      expect((await server.ask(tile)).status, tile).toBe(200);
  });
});

describe("min_size and min_tile_size", () => {
  it("limit what info.json lists", async () => {
    const server = await start({
      "endpoint.iiif.min_size": 300,
      "endpoint.iiif.min_tile_size": 256,
    });
    for (const version of [2, 3] as const) {
      const info = json(await server.ask(infoPath(version, "large.tif")));
      const sizes = Array.isArray(info.sizes) ? info.sizes : [];
      expect(sizes).toContainEqual({ width: 750, height: 550 });
      for (const { width, height } of sizes)
        expect(Math.min(width, height)).toBeGreaterThanOrEqual(300);
      expect(info.tiles).toMatchObject([{ width: 256 }]);
    }
    expect(json(await server.ask(infoPath(1, "large.tif")))).toMatchObject({
      tile_width: 256,
      tile_height: 256,
    });
  });
});

describe("the tiles of an image", () => {
  it.each(
    apiVersions.flatMap((version) =>
      ["large.png", "large.tif"].map((picture) => [version, picture] as const),
    ),
  )(
    "are all served in version %s, and %s can be joined from every level",
    async (version, picture) => {
      const server = await start({ "endpoint.iiif.min_tile_size": 256 });
      const info = json(await server.ask(infoPath(version, picture)));
      const image = readInformation(basePath(version, picture), info);
      const tiles = lists.tiles([image], { count: 1000, seed: 1 });
      expect(tiles.length).toBeGreaterThan(30);
      for (const path of tiles) {
        const { shown, tiny } = shownBy(path, image);
        const answer = await server.ask(path.replace(/jpg$/, "png"));
        if (tiny) expect(answer.status, path).toBe(200);
        else await expectShown(answer, large, shown);
      }
    },
  );
});

/** What a tile's path claims to show; `tiny` where too little of it to compare colours. */
const shownBy = (
  path: string,
  image: { readonly path: string },
): { shown: Shown; tiny: boolean } => {
  const [region = "", size = ""] = path.slice(image.path.length + 1).split("/");
  const numbers = region.split(",").map(Number);
  const [x = 0, y = 0, w = large.width, h = large.height] = region === "full" ? [] : numbers;
  const [width = "", height = ""] = size.split(",");
  const across = Number(width) || w;
  const down = Number(height) || round((h * across) / w);
  return { shown: { region: [x, y, w, h], size: [across, down] }, tiny: across < 40 || down < 40 };
};
