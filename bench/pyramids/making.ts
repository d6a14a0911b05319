import { spawn } from "node:child_process";
import { open, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import sharp from "sharp";
import type { Converter } from "../../src/conversion/converter.ts";
import { encodingFor, type PyramidTiles } from "../../src/pyramids/encoding.ts";
import { processorTimeOf } from "../processor-time.ts";

/** The processor time of a pyramid in milliseconds, made by the server's process and by `vips`. */
export interface Making {
  readonly own: number;
  readonly vips: number;
  /** Of the files, in bytes. */
  readonly bytes: { readonly own: number; readonly vips: number };
}

/**
 * Makes a JPEG's pyramid in both ways, with the same options, into a folder. `main` is the server's
 * built entry point: compiling sources would count as work.
 */
export const makeBoth = async (
  picture: string,
  { main, folder }: { readonly main: string; readonly folder: string },
): Promise<Making> => {
  const tiles = await encodingOf(picture);
  const { quality, tile } = tiles;
  const paths = { own: join(folder, "own.tif"), vips: join(folder, "vips.tif") };
  try {
    const own = await makeOwn(picture, paths.own, { tiles, main });
    const vips = await timed("vips", [
      ...["tiffsave", picture, paths.vips, "--pyramid", "--tile", "--compression", "jpeg"],
      ...["--Q", String(quality), "--tile-width", String(tile), "--tile-height", String(tile)],
    ]);
    return { own, vips, bytes: { own: await sizeOf(paths.own), vips: await sizeOf(paths.vips) } };
  } finally {
    for (const path of Object.values(paths)) await rm(path, { force: true });
  }
};

/** What the server would choose for a JPEG. */
const encodingOf = async (picture: string): Promise<PyramidTiles> => {
  const { width, height, chromaSubsampling } = await sharp(picture, {
    limitInputPixels: false,
  }).metadata();
  const page = {
    ...{ size: { width, height }, orientation: 1, levels: [], profile: undefined },
    colour: { bits: 8, alpha: false },
  } as unknown as Parameters<typeof encodingFor>[1];
  const losses = chromaSubsampling === "4:4:4" ? "accuracy" : "chroma";
  return encodingFor({ format: "jpg", losses }, page, { quality: 88, encoding: "auto" });
};

/** Milliseconds of processor time of the process that the server makes pyramids in. */
const makeOwn = async (
  from: string,
  to: string,
  { tiles, main }: { readonly tiles: PyramidTiles; readonly main: string },
): Promise<number> => {
  const module = resolve(dirname(main), "../conversion/converter.js");
  const built: { readonly Converter: typeof Converter } = await import(pathToFileURL(module).href);
  const converter = new built.Converter(process.env);
  try {
    const outcome = await converter.convert(
      {
        ...{ from, to, force: true, page: 1, format: "tif", quality: tiles.quality },
        pyramid: { ...tiles, levels: "pages", reduction: "scaled" },
      },
      {},
      { signal: AbortSignal.timeout(600_000), onProgress: () => {} },
    );
    if ("failed" in outcome) throw new Error(outcome.failed);
    return (await processorTimeOf(converter.pid ?? 0)) ?? Number.NaN;
  } finally {
    await converter.close();
  }
};

/** Milliseconds of processor time of a program, as its shell counts them. */
const timed = (program: string, args: readonly string[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const script = 'TIMEFORMAT="%U %S"; time "$@"';
    const child = spawn("bash", ["-c", script, "bash", program, ...args], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let text = "";
    child.stderr.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      const seconds = /([\d.]+) ([\d.]+)\s*$/.exec(text);
      if (code !== 0 || seconds === null) reject(new Error(`${program}: ${text.trim()}`));
      else resolve((Number(seconds[1]) + Number(seconds[2])) * 1_000);
    });
  });

const sizeOf = async (path: string): Promise<number> => {
  const file = await open(path);
  try {
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
};
