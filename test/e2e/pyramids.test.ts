import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import sharp, { type Sharp } from "sharp";
import { afterEach, describe, expect, it } from "vitest";
import { Config } from "../../src/config/store.ts";
import type { Size } from "../../src/core/geometry.ts";
import { createCodecs } from "../../src/formats/index.ts";
import { Resources } from "../../src/formats/pool/index.ts";
import type { AccessEntry } from "../../src/logging/access.ts";
import type { Images } from "../../src/service/images.ts";
import { singleFile } from "../../src/sources/file-reader.ts";
import { type Difference, difference, pixelsOf } from "../likeness.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { startServer, type TestServer } from "./app.ts";
import { asImage, drawGrid } from "./grid.ts";
import { pyramidFiles } from "./pyramid-files.ts";

/** Odd sides: the last column and row of every level are partly beyond the image. */
const size = { width: 3_001, height: 2_503 };

/** Both sides can be halved. */
const evenSize = { width: 3_000, height: 2_502 };

/** Soft shapes of all colours, as in a photograph. */
const photo = async ({ width, height } = size): Promise<Sharp> => {
  const grid = drawGrid(width, height, { square: 301, seed: 7 });
  const soft = await asImage(grid).blur(20).modulate({ saturation: 0.4 }).raw().toBuffer();
  return sharp(soft, { raw: { width, height, channels: 3 } });
};

/** Detail at every scale, as of grass and fabric: what JPEG loses the most of. */
const textured = async (): Promise<Sharp> => {
  const patch = { width: evenSize.width / 6, height: evenSize.height / 6 };
  const sum = new Float32Array(patch.width * patch.height * 3).fill(128);
  let state = 7;
  for (const cell of [1, 2, 4, 8, 16, 32]) {
    const coarse = {
      width: Math.ceil(patch.width / cell),
      height: Math.ceil(patch.height / cell),
    };
    const noise = Uint8Array.from({ length: coarse.width * coarse.height * 3 }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    });
    const drawn = await sharp(noise, { raw: { ...coarse, channels: 3 } })
      .resize(patch.width, patch.height, { fit: "fill", kernel: "cubic" })
      .modulate({ saturation: 0.3 })
      .raw()
      .toBuffer();
    for (let at = 0; at < sum.length; at++)
      sum[at] = (sum[at] as number) + ((drawn[at] as number) - 128) / 13;
  }
  const input = Buffer.from(Uint8ClampedArray.from(sum));
  return sharp({ create: { ...evenSize, channels: 3, background: "black" } }).composite([
    { input, raw: { ...patch, channels: 3 }, tile: true },
  ]);
};

/** A JPEG with comments of five megabytes: too large to be read into memory at once. */
const enlarged = (jpeg: Buffer): Buffer => {
  const comment = Buffer.alloc(65_535);
  comment.writeUInt16BE(0xff_fe, 0);
  comment.writeUInt16BE(comment.length - 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), ...Array(80).fill(comment), jpeg.subarray(2)]);
};

let server: TestServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** The requests since the start. */
let entries: AccessEntry[] = [];

/** Whether the last prepared request uses a pyramid. */
let isUsed = false;

const watched = (images: Images): Images => ({
  ...images,
  async prepare(...asked) {
    const prepared = await images.prepare(...asked);
    isUsed = prepared.pyramid !== undefined;
    return prepared;
  },
  prepareSync(...asked) {
    const prepared = images.prepareSync(...asked);
    if (prepared) isUsed = prepared.pyramid !== undefined;
    return prepared;
  },
});

/** Starts the server on one image, with pyramids in a folder of their own; returns that folder. */
const start = async (
  name: string,
  bytes: Buffer,
  values: Readonly<Record<string, unknown>> = {},
): Promise<string> => {
  const made = await temporaryFolder();
  entries = [];
  server = await startServer(
    (folder) => writeFile(join(folder, name), bytes),
    {
      "pyramids.folder": made,
      "pyramids.niceness": 0,
      "pyramids.min_pixels": 1_000_000,
      "cache.server.derivative.enabled": false,
      ...values,
    },
    { access: (entry) => entries.push(entry), around: { images: watched, source: (one) => one } },
  );
  return made;
};

/** Paths of tiles and views at every scale, the last column and row among them. */
const views = (tiles: string, others = tiles, page: Size = size): readonly string[] =>
  [1, 2, 4, 8, 16, 32]
    .flatMap((factor) =>
      [0, 1].map((last) => {
        const side = 512 * factor;
        const x = last * Math.floor((page.width - 1) / side) * side;
        const y = last * Math.floor((page.height - 1) / side) * side;
        const width = Math.min(side, page.width - x);
        const height = Math.min(side, page.height - y);
        const scaled = `${Math.ceil(width / factor)},${Math.ceil(height / factor)}`;
        return `${x},${y},${width},${height}/${scaled}/0/default.${tiles}`;
      }),
    )
    .concat([`full/600,/0/default.${others}`, `731,912,1300,1100/400,/0/default.${others}`]);

const get = async (path: string): Promise<Buffer> => {
  const answer = await server?.ask(path);
  expect(answer?.status, path).toBe(200);
  return answer?.body ?? Buffer.alloc(0);
};

const bodies = async (name: string, paths: readonly string[]): Promise<readonly Buffer[]> => {
  const found: Buffer[] = [];
  for (const path of paths) found.push(await get(`/iiif/3/${name}/${path}`));
  return found;
};

/** Requests tiles until a file of this kind appears. */
const untilThereIs = async (end: string, folder: string, name: string): Promise<void> => {
  for (let attempt = 0; (await pyramidFiles(folder, end)).length === 0; attempt++) {
    if (attempt > 400) throw new Error(`No ${end} appeared within 400 requests.`);
    await get(`/iiif/3/${name}/2048,2000,400,400/200,/0/default.jpg`);
    await pause(50);
  }
};

const apartBy = async (one: Buffer | undefined, other: Buffer | undefined): Promise<Difference> =>
  difference(
    await pixelsOf(one ?? Buffer.alloc(0), { alpha: true }),
    await pixelsOf(other ?? Buffer.alloc(0), { alpha: true }),
  );

interface Compared {
  readonly name: string;
  /** What follows the name in URLs, such as a page. */
  readonly suffix?: string;
  readonly bytes: () => Promise<Buffer>;
  /** In pixels. */
  readonly sides?: Size;
  /** The greatest mean difference of tiles, in steps of 255; at full size, and reduced. */
  readonly apart: { readonly full: number; readonly reduced: number };
  /** The format of the tiles; absent: JPEG. */
  readonly tiles?: "png";
  readonly values?: Readonly<Record<string, unknown>>;
}

const lossless = { full: 0, reduced: 0 };
/** Of what is scaled or encoded in another way. */
const different = 1.5;
/** Levels are those that were requested before, except where the pyramid reached them first. */
const lossy = { full: 1, reduced: different };
/** The sides are odd, and the far edges of tiles before are not where those of levels are. */
const inStrips = { full: 0, reduced: 0.5 };

describe("an image that is slow to zoom looks the same with a pyramid", () => {
  const compared: readonly Compared[] = [
    { name: "a.png", bytes: async () => (await photo()).png().toBuffer(), apart: lossless },
    {
      name: "a.jpg",
      bytes: async () => (await photo()).jpeg({ quality: 92 }).toBuffer(),
      apart: lossy,
    },
    {
      name: "full-chroma.jpg",
      bytes: async () =>
        (await photo()).jpeg({ quality: 95, chromaSubsampling: "4:4:4" }).toBuffer(),
      apart: lossy,
    },
    {
      name: "read-at-half.jpg",
      bytes: async () => enlarged(await (await photo(evenSize)).jpeg({ quality: 88 }).toBuffer()),
      sides: evenSize,
      apart: lossy,
    },
    {
      name: "textured.jpg",
      bytes: async () => enlarged(await (await textured()).jpeg({ quality: 92 }).toBuffer()),
      sides: evenSize,
      apart: lossy,
    },
    {
      name: "textured-full-chroma.jpg",
      bytes: async () =>
        enlarged(
          await (await textured()).jpeg({ quality: 92, chromaSubsampling: "4:4:4" }).toBuffer(),
        ),
      sides: evenSize,
      apart: lossy,
    },
    {
      name: "turned-read-at-half.jpg",
      bytes: async () =>
        enlarged(
          await (await photo(evenSize))
            .rotate(90)
            .jpeg({ quality: 88 })
            .withMetadata({ orientation: 8 })
            .toBuffer(),
        ),
      sides: evenSize,
      apart: lossy,
    },
    {
      name: "turned.jpg",
      bytes: async () =>
        (await photo()).rotate(90).jpeg().withMetadata({ orientation: 8 }).toBuffer(),
      apart: lossy,
    },
    {
      name: "cmyk.jpg",
      bytes: async () => (await photo()).toColourspace("cmyk").jpeg({ quality: 92 }).toBuffer(),
      apart: lossy,
    },
    {
      name: "deep.png",
      bytes: async () => (await photo()).toColourspace("rgb16").png().toBuffer(),
      apart: lossless,
    },
    {
      name: "alpha.png",
      bytes: async () => (await photo()).ensureAlpha(0.6).png().toBuffer(),
      apart: lossless,
      tiles: "png",
    },
    {
      name: "grey.tif",
      bytes: async () =>
        (await photo()).greyscale().toColourspace("b-w").tiff({ compression: "lzw" }).toBuffer(),
      apart: inStrips,
    },
    {
      name: "pages.tif",
      suffix: ";2",
      bytes: async () =>
        sharp(
          [await (await photo()).negate().png().toBuffer(), await (await photo()).png().toBuffer()],
          { join: { animated: true } },
        )
          .tiff({ compression: "lzw" })
          .toBuffer(),
      apart: inStrips,
    },
    {
      name: "lossless.jpg",
      bytes: async () => (await photo()).jpeg({ quality: 92 }).toBuffer(),
      apart: { full: 0, reduced: different },
      values: { "pyramids.encoding": "deflate" },
    },
    {
      name: "as-webp.png",
      bytes: async () => (await photo()).ensureAlpha(0.6).png().toBuffer(),
      // The smallest level is nothing but detail.
      apart: { full: different, reduced: 2.5 },
      values: { "pyramids.encoding": "webp" },
    },
  ];
  it.each(compared)(
    "$name",
    async ({ name: file, suffix = "", bytes, sides = size, apart, tiles = "jpg", values }) => {
      const made = await start(file, await bytes(), values);
      const name = file + suffix;
      const paths = views(tiles, "png", sides);
      const info = await get(`/iiif/3/${name}/info.json`);
      const before = await bodies(name, paths);
      await untilThereIs(".tif", made, name);
      await untilUsed(name);
      const after = await bodies(name, paths);
      expect(await get(`/iiif/3/${name}/info.json`)).toEqual(info);
      await expectLevels(made, info);
      for (const [n, path] of paths.entries()) {
        const { mean } = await apartBy(before[n], after[n]);
        const max = n < paths.length - 2 ? (n < 2 ? apart.full : apart.reduced) : different;
        expect.soft(mean, path).toBeLessThanOrEqual(max);
      }
    },
  );
});

/** Expects the levels of a pyramid to be those that `info.json` has offered tiles of. */
const expectLevels = async (made: string, info: Buffer): Promise<void> => {
  const { width, height, tiles } = JSON.parse(info.toString());
  const [name = ""] = await pyramidFiles(made, ".tif");
  const reader = await singleFile(join(made, name));
  try {
    const { decoder } = await createCodecs(new Resources(new Config()))("tif");
    const [page] = (await decoder?.info(reader, AbortSignal.timeout(10_000)))?.pages ?? [];
    const sizes = tiles[0].scaleFactors.map((factor: number) => ({
      width: Math.ceil(width / factor),
      height: Math.ceil(height / factor),
    }));
    expect(page?.levels.map(({ size }) => size)).toEqual(sizes);
    expect(page?.levels[0].tile).toEqual({ width: tiles[0].width, height: tiles[0].width });
  } finally {
    await reader.close();
  }
};

/** Requests a tile until the pyramid is used. */
const untilUsed = async (name: string): Promise<void> => {
  for (let attempt = 0; ; attempt++) {
    await get(`/iiif/3/${name}/1024,1536,512,512/512,512/0/default.jpg`);
    if (isUsed) return;
    if (attempt > 200) throw new Error("The pyramid was not used within 200 requests.");
    await pause(50);
  }
};

describe("pyramids", () => {
  it("of JPEGs store JPEG tiles, which are sent unchanged", async () => {
    const made = await start("a.jpg", await (await photo()).jpeg({ quality: 92 }).toBuffer());
    await untilThereIs(".tif", made, "a.jpg");
    await untilUsed("a.jpg");
    expect(entries.at(-1)?.way).toBe("stored");
  });

  it("do not affect whole files in their own format", async () => {
    const bytes = await (await photo()).jpeg({ quality: 92 }).toBuffer();
    const made = await start("a.jpg", bytes, {
      "processor.whole_files": "unchanged",
      "endpoint.iiif.max_pixels": 0,
    });
    await untilThereIs(".tif", made, "a.jpg");
    await untilUsed("a.jpg");
    expect(await get("/iiif/3/a.jpg/full/max/0/default.jpg")).toEqual(bytes);
  });

  it("are regenerated for a replaced image", async () => {
    const first = await (await photo()).jpeg({ quality: 92 }).toBuffer();
    const made = await start("a.jpg", first);
    await untilThereIs(".tif", made, "a.jpg");
    await untilUsed("a.jpg");
    const [before] = await bodies("a.jpg", ["512,512,512,512/512,512/0/default.png"]);
    const second = await (await photo()).negate().jpeg({ quality: 92 }).toBuffer();
    await writeFile(join(server?.folder ?? "", "a.jpg"), second);
    await pause(1_100);
    const [after] = await bodies("a.jpg", ["512,512,512,512/512,512/0/default.png"]);
    expect((await apartBy(before, after)).mean).toBeGreaterThan(20);
    await untilUsed("a.jpg");
    expect(await pyramidFiles(made, ".tif")).toHaveLength(2);
  });

  it("that are deleted do not break requests, and are regenerated", async () => {
    // No file stays open, so that the deletion is noticed.
    const made = await start("a.jpg", await (await photo()).jpeg({ quality: 92 }).toBuffer(), {
      "FilesystemSource.open_files.max": 0,
    });
    await untilThereIs(".tif", made, "a.jpg");
    await untilUsed("a.jpg");
    const [name = ""] = await pyramidFiles(made, ".tif");
    await rm(join(made, name));
    await bodies("a.jpg", views("jpg"));
    await untilThereIs(".tif", made, "a.jpg");
    await untilUsed("a.jpg");
  });

  it("that were damaged are replaced", async () => {
    const made = await start("a.jpg", await (await photo()).jpeg({ quality: 92 }).toBuffer());
    await untilThereIs(".tif", made, "a.jpg");
    await untilUsed("a.jpg");
    const [name = ""] = await pyramidFiles(made, ".tif");
    const file = join(made, name);
    const whole = await readFile(file);
    // The directories stay intact: only tiles are damaged.
    const damaged = Buffer.from(whole).fill(0, 16, Math.floor(whole.length / 2));
    await writeFile(file, damaged);
    await bodies("a.jpg", views("png"));
    const isDamaged = async (): Promise<boolean> =>
      (await readFile(file).catch(() => damaged)).equals(damaged);
    for (let attempt = 0; await isDamaged(); attempt++) {
      expect(attempt, "requests until the pyramid is whole").toBeLessThan(400);
      await get("/iiif/3/a.jpg/1024,1030,400,400/400,/0/default.jpg");
      await pause(50);
    }
    await untilUsed("a.jpg");
  });

  it("are not made for small images, or if they are switched off", async () => {
    const bytes = await (await photo()).jpeg({ quality: 92 }).toBuffer();
    const made = await start("a.jpg", bytes, { "pyramids.min_pixels": 10_000_000 });
    await bodies("a.jpg", views("jpg"));
    await bodies("a.jpg", views("jpg"));
    await pause(500);
    expect(await readdir(made)).toEqual([]);
  });

  it("that cannot be made are recorded with the reason, and not retried", async () => {
    const bytes = await (await photo()).jpeg({ quality: 92 }).toBuffer();
    const made = await start("a.jpg", bytes, { "pyramids.max_size": 1_000_000 });
    await untilThereIs(".failed", made, "a.jpg");
    const [failed = ""] = await pyramidFiles(made, ".failed");
    const refused = JSON.parse(await readFile(join(made, failed), "utf8"));
    expect(refused).toMatchObject({ identifier: "a.jpg", page: 1 });
    expect(refused.reason).toBe(
      "The pyramid could take more than a quarter of 1000000 bytes (pyramids.max_size).",
    );
    await bodies("a.jpg", views("jpg"));
    expect(await pyramidFiles(made, ".tif")).toEqual([]);
  });
});
