import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Config } from "../config/store.ts";
import { Admission } from "../core/admission.ts";
import { unconstrained } from "../core/identifier.ts";
import type { ImageRequest } from "../core/request.ts";
import { createCodecs } from "../formats/index.ts";
import { Resources } from "../formats/pool/resources.ts";
import { sniff } from "../formats/sniff.ts";
import { encodingKeys } from "../formats/write/keys.ts";
import { limitKeys } from "../iiif/limits.ts";
import { resolve } from "../iiif/resolve.ts";
import { renderKeys } from "../render/keys.ts";
import { renderOptions } from "../render/options.ts";
import { toolsOf } from "../render/tools.ts";
import { filesystem } from "../sources/filesystem.ts";
import { createImages } from "./images.ts";
import { Infos } from "./infos.ts";

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "vitrine-replaced-"));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const side = 128;

/** A pyramid of one colour; no two colours have their tiles at the same offsets. */
const pyramid = (colour: "red" | "blue"): Promise<Buffer> =>
  sharp({
    create: { width: side * 4, height: side * 4, channels: 3, background: colour },
  })
    .tiff({
      compression: "jpeg",
      quality: colour === "red" ? 60 : 95,
      tile: true,
      tileWidth: side,
      tileHeight: side,
      pyramid: true,
    })
    .toBuffer();

/** The pipeline from source to encoder, which trusts infos for an hour. */
const house = () => {
  const config = new Config();
  const settings = config.view(filesystem.keys)();
  const source = filesystem.create(() => ({
    ...settings,
    "FilesystemSource.BasicLookupStrategy.path_prefix": `${home}/`,
  }));
  const codecs = createCodecs(new Resources(config));
  const rendering = config.view({ ...renderKeys, ...encodingKeys });
  const limits = config.view(limitKeys);
  const lane = { running: 4, bytes: 1e9 };
  const images = createImages({
    infos: new Infos({
      source: () => source,
      sniff,
      codec: (format) => codecs(format),
      remember: () => true,
      trustMs: () => 3_600_000,
    }),
    resolve: (request, info) => resolve(request, info, limits()),
    renderOptions: ({ format }) => ({ ...renderOptions(rendering(), format), stored: true }),
    means: {
      ready: () => undefined,
      async load(plan, { info, object }, timings) {
        const { decoder } = await codecs(info.format);
        const { encoder } = await codecs(plan.format);
        return toolsOf(plan, { info, file: object, decoder, encoder, timings });
      },
    },
    admission: new Admission(() => ({
      small: lane,
      large: lane,
      largePixels: 1e8,
      waiting: 1_000,
      patienceMs: 60_000,
      rest: 1,
    })),
    cost: () => ({ bytes: 1_000, pixels: 1_000 }),
  });
  const ask = async (identifier: string, [x, y, scale = 1]: readonly number[]) => {
    const request: ImageRequest = {
      id: { identifier, page: 1, constraint: unconstrained },
      region: {
        kind: "pixels",
        rect: { x: x ?? 0, y: y ?? 0, width: side * scale, height: side * scale },
      },
      size: { kind: "exact", width: side, height: side, upscale: false },
      mirror: false,
      rotation: 0,
      quality: "default",
      format: "jpg",
    };
    const context = { requestId: "test", identifier, signal: new AbortController().signal };
    const prepared = await images.prepare(request, context, "use");
    const { channels } = await sharp(await images.draw(prepared, context, "use")).stats();
    const [red, , blue] = channels;
    // A single colour throughout; otherwise two states were mixed.
    expect(Math.max(red?.stdev ?? 99, blue?.stdev ?? 99)).toBeLessThan(2);
    return (red?.mean ?? 0) > (blue?.mean ?? 0) ? "red" : "blue";
  };
  return { ask, close: () => source.close?.() };
};

const places = [
  [0, 0],
  [side, 0],
  [side, side * 2],
  [0, 0, 2],
  [0, 0, 4],
  [64, 64],
] as const;

describe("a file replaced while its cached info is trusted", () => {
  it("and overwritten in place is served as it is now, never as a mixture", async () => {
    const { ask, close } = house();
    const path = join(home, "over.tif");
    const colours = { red: await pyramid("red"), blue: await pyramid("blue") };
    for (const colour of ["red", "blue", "red", "blue"] as const) {
      await writeFile(path, colours[colour]);
      for (const place of places) expect(await ask("over.tif", place)).toBe(colour);
    }
    await close();
  });

  it("and replaced by another file is served whole, old or new", async () => {
    const { ask, close } = house();
    const path = join(home, "renamed.tif");
    await writeFile(path, await pyramid("red"));
    expect(await ask("renamed.tif", [0, 0])).toBe("red");
    await writeFile(`${path}.new`, await pyramid("blue"));
    await rename(`${path}.new`, path);
    for (const place of places) expect(["red", "blue"]).toContain(await ask("renamed.tif", place));
    await close();
  });
});
