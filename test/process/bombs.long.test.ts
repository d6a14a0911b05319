import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { mutated } from "../../bench/hostile/mutate.ts";
import { type Trial, tryPicture } from "../../bench/hostile/trial.ts";
import { drawPyramid } from "../../bench/own-pictures.ts";
import { startOwn } from "../../bench/own-server.ts";
import { allCorpusFiles, corpusIsHere, corpusIsMissing, corpusPath } from "../corpus.ts";
import { allBombs } from "../malformed/bombs/all.ts";
import { random } from "../random.ts";

vi.setConfig({ testTimeout: 900_000, hookTimeout: 120_000 });

/**
 * Without those that take long to make, and documents, which their time limit ends: bench:hostile
 * has them all.
 */
const slow =
  /^(pdf|svg|avif-large|jpeg-(flat|scans-large|restarts)|tiff-strip-inflates|dicom-(de|fr))/;

/** More than any response may take on a busy machine; `bench:hostile` checks the promised times. */
const patienceMs = 240_000;

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const good = "good.tif";
const goodTile = `/iiif/3/${good}/5,5,256,256/200,/0/default.jpg`;

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-bombs-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

interface Hostile {
  readonly name: string;
  readonly page?: number;
  readonly bytes: Uint8Array;
}

/** Requests each of some images from the built server while it serves a good one. */
const tryAll = async (all: readonly Hostile[]): Promise<readonly Trial[]> => {
  const pictures: Record<string, string> = {
    [good]: await drawPyramid(folder, { width: 1_024, height: 1_024, compression: "deflate" }),
  };
  for (const { name, bytes } of all) {
    pictures[name] = join(folder, name);
    await writeFile(pictures[name], bytes);
  }
  const settings = { "processor.svg.enabled": true, "log.application.level": "error" };
  const server = await startOwn({ main, pictures, settings });
  try {
    const trials: Trial[] = [];
    const tried = { base: server.base, pid: server.pid, good: [goodTile] };
    for (const { name, page = 1 } of all)
      trials.push(await tryPicture(tried, name, { page, memory: false, settleMs: 0, patienceMs }));
    return trials;
  } finally {
    await server.remove();
  }
};

const expectTaken = ({ name, replies, lost, deaths }: Trial): void => {
  const faults = replies.filter(({ status }) => status === 0 || status === 500);
  expect({ name, faults, lost, deaths }).toEqual({ name, faults: [], lost: 0, deaths: 0 });
};

describe("the built server", () => {
  it("answers for images made to take its time, continues to serve others, and loses no worker", async () => {
    const bombs: Hostile[] = [];
    for (const { make, ...bomb } of allBombs)
      if (!slow.test(bomb.name)) bombs.push({ ...bomb, bytes: await make() });
    expect(bombs.length).toBeGreaterThan(60);
    for (const trial of await tryAll(bombs)) expectTaken(trial);
  });

  it.skipIf(!corpusIsHere)("answers for corrupt images of every format", async () => {
    const numbers = random(100);
    const formats = new Map<string, string[]>();
    for (const file of allCorpusFiles()) {
      const format = file.path.split("/")[0] ?? "";
      if (format === "malformed") continue;
      formats.set(format, [...(formats.get(format) ?? []), corpusPath(file)]);
    }
    const damaged: Hostile[] = [];
    for (const [, paths] of formats)
      for (let number = 0; number < 4; number++) {
        const path = paths[numbers.whole(0, paths.length - 1)] ?? "";
        const { bytes } = mutated(await readFile(path), numbers);
        damaged.push({ name: `${damaged.length}${extname(path)}`, bytes });
      }
    expect(damaged.length).toBeGreaterThan(40);
    for (const trial of await tryAll(damaged)) expectTaken(trial);
  });
});

if (!corpusIsHere) it(corpusIsMissing, ({ skip }) => skip(corpusIsMissing));
