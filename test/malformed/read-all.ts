import { Config } from "../../src/config/store.ts";
import { ServerError } from "../../src/core/errors.ts";
import type { RangeReader } from "../../src/core/range-reader.ts";
import { createCodecs } from "../../src/formats/index.ts";
import { readingFailed } from "../../src/formats/libvips/failure.ts";
import { prepareVips } from "../../src/formats/libvips/setup.ts";
import { Resources } from "../../src/formats/pool/resources.ts";
import { factsOf } from "../../src/formats/registry.ts";
import { sniff } from "../../src/formats/sniff.ts";
import { type CorpusFile, corpusFiles, corpusPath } from "../corpus.ts";
import { plan } from "../plans.ts";
import { fileReaderOf } from "../readers.ts";

/** One line of the report: the result of a file, its duration, and the peak memory so far. */
export interface Outcome {
  readonly path: string;
  readonly expect: CorpusFile["expect"];
  readonly outcome: "image" | "refused" | "thrown";
  readonly message: string;
  readonly seconds: number;
  readonly megabytes: number;
}

const codecs = createCodecs(new Resources(new Config()));
const max = 256;

/** Peak resident memory of this process. */
const megabytes = (): number => Math.round(process.resourceUsage().maxRSS / 1024);

const drawCorner = async (reader: RangeReader, signal: AbortSignal): Promise<void> => {
  const format = await sniff(reader, signal);
  if (format === undefined) throw new ServerError("unreadable", "Expected a picture.");
  const { decoder } = await codecs(format);
  if (decoder === undefined) throw new ServerError("unreadable", "Expected a decoder.");
  const info = await decoder.info(reader, signal);
  const { width, height } = info.pages[0].size;
  const size = { width: Math.min(max, width), height: Math.min(max, height) };
  const window = { page: 0, region: { x: 0, y: 0, ...size }, atLeast: size };
  const raster = await decoder.read(reader, info, window, plan, signal);
  try {
    await raster.image
      .extract({
        left: 0,
        top: 0,
        width: Math.min(raster.size.width, max),
        height: Math.min(raster.size.height, max),
      })
      .jpeg()
      .toBuffer();
  } catch (error) {
    throw readingFailed(error, factsOf(format).name);
  }
};

const outcomeOf = async (file: CorpusFile): Promise<Outcome> => {
  const started = performance.now();
  const done = (outcome: Outcome["outcome"], message: string): Outcome => ({
    path: file.path,
    expect: file.expect,
    outcome,
    message,
    seconds: (performance.now() - started) / 1000,
    megabytes: megabytes(),
  });
  try {
    await drawCorner(await fileReaderOf(corpusPath(file)), AbortSignal.timeout(9_000));
    return done("image", "");
  } catch (error) {
    if (error instanceof ServerError) return done("refused", error.message);
    return done("thrown", String(error));
  }
};

/** Reads a corner of every malformed image, one after the other, and writes a line for each. */
const readAll = async (): Promise<void> => {
  prepareVips();
  for (const file of corpusFiles("malformed")) {
    // Written first, so that a crash names its file.
    process.stderr.write(`${file.path}\n`);
    process.stdout.write(`${JSON.stringify(await outcomeOf(file))}\n`);
  }
};

await readAll();
