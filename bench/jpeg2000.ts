import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { performance } from "node:perf_hooks";
import type { RangeReader } from "../src/core/range-reader.ts";
import type { Codestream, CodestreamDecoder } from "../src/formats/jpeg2000/codestream/contract.ts";
import { createCodestreamDecoder } from "../src/formats/jpeg2000/codestream/decoder.ts";
import { loadReconstruction, runHere } from "../src/formats/jpeg2000/codestream/inline-runner.ts";
import { openCodestream } from "../src/formats/jpeg2000/codestream/main-header.ts";
import { bytesOf, readFile } from "../src/formats/jpeg2000/file/file.ts";
import { random } from "../test/random.ts";

const usage = `Measures the decoder of JPEG 2000 beside OpenJPEG's opj_decompress, by processor time.

  npm run bench:jpeg2000 -- FILE...

For each file: what is known of it takes how much memory, how long its first tile takes, and a tile of
512 x 512 with nothing but the index known, in a row of neighbours, and by opj_decompress -d less its start.
`;

const side = 512;
const { signal } = new AbortController();
const reconstruct = await loadReconstruction();

interface Tile {
  readonly x: number;
  readonly y: number;
  readonly reduce: number;
}

/** Milliseconds of processor time and by the clock. */
const timed = async (work: () => Promise<unknown>): Promise<{ cpu: number; wall: number }> => {
  const before = process.cpuUsage();
  const start = performance.now();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1_000, wall: performance.now() - start };
};

const fileReader = async (path: string): Promise<RangeReader & { close(): Promise<void> }> => {
  const handle = await open(path);
  const { size } = await handle.stat();
  return {
    size,
    async read(offset, length) {
      const bytes = new Uint8Array(length);
      const { bytesRead } = await handle.read(bytes, 0, length, offset);
      return bytes.subarray(0, bytesRead);
    },
    close: () => handle.close(),
  } as RangeReader & { close(): Promise<void> };
};

const middle = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

const text = (ms: number): string => (ms < 10 ? ms.toFixed(1) : ms.toFixed(0));

/** Runs opj_decompress; returns its processor time in milliseconds. */
const decompress = (path: string, target: string, options: readonly string[]): number => {
  const command = ["opj_decompress", "-quiet", "-i", path, "-o", target, ...options];
  const script = `TIMEFORMAT="%U %S"; { time "$@" >/dev/null 2>&1; } 2>&1`;
  const out = execFileSync("bash", ["-c", script, "-", ...command]).toString();
  const [user = 0, system = 0] = out.trim().split(/\s+/).map(Number);
  return (user + system) * 1_000;
};

const decoderWith = (blockBytes: number): CodestreamDecoder =>
  createCodestreamDecoder(
    () => ({ indexBytes: 67_108_864, blockBytes, answerBytes: 536_870_912 }),
    runHere(reconstruct),
  );

interface Subject {
  readonly codestream: Codestream;
  readonly reader: RangeReader;
}

const decode = (decoder: CodestreamDecoder, { codestream, reader }: Subject, tile: Tile) => {
  const { image } = codestream.header;
  const length = side * 2 ** tile.reduce;
  const region = {
    x: tile.x,
    y: tile.y,
    width: Math.min(length, image.width - tile.x),
    height: Math.min(length, image.height - tile.y),
  };
  return decoder.decodeInterleaved({ codestream, reader, region, reduce: tile.reduce, signal });
};

/** Each tile by itself, from the middle: no blocks of others are cached. */
const alone = async (subject: Subject, tiles: readonly Tile[]): Promise<number> => {
  const decoder = decoderWith(16_384);
  for (let round = 0; round < warmRounds; round++)
    for (const tile of tiles) await decode(decoder, subject, tile);
  const times: number[] = [];
  for (const tile of tiles) times.push((await timed(() => decode(decoder, subject, tile))).cpu);
  return middle(times);
};

/** A server has compiled its decoder; so has OpenJPEG. */
const warmRounds = 3;

/** Four rows of six neighbours, then half as large what they show, as a viewer asks for them. */
const panning = (subject: Subject, { x, y }: Tile): readonly Tile[] => {
  const { levels } = subject.codestream.header;
  const tiles: Tile[] = [];
  for (const reduce of [0, 1].filter((one) => one <= levels)) {
    const step = side * 2 ** reduce;
    for (let row = 0; row < 4 / 2 ** reduce; row++)
      for (let column = 0; column < 6 / 2 ** reduce; column++)
        tiles.push({ x: x + column * step, y: y + row * step, reduce });
  }
  return tiles;
};

const inRow = async (
  subject: Subject,
  start: Tile,
): Promise<{ ours: number; tiles: readonly Tile[] }> => {
  const decoder = decoderWith(67_108_864);
  await decode(decoder, subject, start);
  const tiles = panning(subject, start);
  const { cpu } = await timed(async () => {
    for (const tile of tiles) await decode(decoder, subject, tile);
  });
  return { ours: cpu / tiles.length, tiles };
};

const measureFile = async (path: string, folder: string): Promise<void> => {
  const reader = await fileReader(path);
  const fresh = async (): Promise<Subject> => {
    const { place } = await readFile(bytesOf(reader, signal));
    return { codestream: await openCodestream(reader, place, signal), reader };
  };
  const subject = await fresh();
  const { image, levels } = subject.codestream.header;
  const dice = random(1);
  const at = (length: number, limit: number): number =>
    Math.floor((dice.whole(0, 1_000) * Math.max(0, limit - length)) / 1_000 / side) * side;
  const tilesAt = (reduce: number): Tile[] =>
    Array.from({ length: 8 }, () => ({
      x: at(side * 2 ** reduce, image.width),
      y: at(side * 2 ** reduce, image.height),
      reduce,
    }));
  process.stdout.write(`${basename(path)}: ${image.width} x ${image.height}\n`);

  const deep = tilesAt(0).at(-1) ?? { x: 0, y: 0, reduce: 0 };
  const small = { x: 0, y: 0, reduce: Math.min(levels, Math.ceil(Math.log2(image.width / side))) };
  for (const [name, tile] of [
    ["thumbnail", small],
    ["tile", deep],
  ] as const) {
    const decoder = decoderWith(67_108_864);
    const { cpu, wall } = await timed(async () => decode(decoder, await fresh(), tile));
    const megabytes = (decoder.indexBytes / 1_048_576).toFixed(2);
    process.stdout.write(
      `  first ${name}, file unknown: ${text(wall)} ms, processor ${text(cpu)} ms; index ${megabytes} MB\n`,
    );
  }

  const target = join(folder, "tile.ppm");
  const start = startOf(folder, target);
  const theirsOf = (tiles: readonly Tile[]): number =>
    middle(
      tiles.slice(0, 8).map(({ x, y, reduce }) => {
        const length = side * 2 ** reduce;
        const to = [Math.min(image.width, x + length), Math.min(image.height, y + length)];
        return (
          decompress(path, target, ["-d", [x, y, ...to].join(","), "-r", String(reduce)]) - start
        );
      }),
    );
  for (const reduce of [0, 2].filter((one) => one <= levels)) {
    const tiles = tilesAt(reduce);
    const ours = await alone(subject, tiles);
    const theirs = theirsOf(tiles);
    process.stdout.write(
      `  tile at 1:${2 ** reduce}: ${text(ours)} ms, opj_decompress ${text(theirs)} ms, ratio ${(ours / theirs).toFixed(2)}\n`,
    );
  }
  const corner = {
    x: Math.floor(image.width / 4 / side) * side,
    y: Math.floor(image.height / 4 / side) * side,
    reduce: 0,
  };
  const { ours, tiles } = await inRow(subject, corner);
  const theirs = theirsOf(tiles.filter((_, number) => number % 4 === 0));
  process.stdout.write(
    `  panning: ${text(ours)} ms a tile, opj_decompress ${text(theirs)} ms, ratio ${(ours / theirs).toFixed(2)}\n`,
  );
  await reader.close();
};

/** opj_decompress's time for next to nothing. */
const startOf = (folder: string, target: string): number => {
  const [picture, file] = [join(folder, "dot.pgm"), join(folder, "dot.j2k")];
  writeFileSync(picture, `P5\n32 32\n255\n${"0123456789abcdef".repeat(64)}`);
  execFileSync("opj_compress", ["-i", picture, "-o", file, "-n", "1"], { stdio: "ignore" });
  return middle(Array.from({ length: 9 }, () => decompress(file, target, [])));
};

const files = process.argv.slice(2);
if (files.length === 0 || files.includes("--help")) process.stdout.write(usage);
else {
  const folder = mkdtempSync(join(tmpdir(), "bench-jpeg2000-"));
  try {
    for (const file of files) await measureFile(file, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
