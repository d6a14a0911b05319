import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, it } from "vitest";
import { allCorpusFiles, corpusIsHere, corpusIsMissing, corpusPath } from "../corpus.ts";
import { expectAllAlike, type Pair, startPair } from "./local-and-remote.ts";

/** TIFFs of the folders whose images differ in structure, not in samples. */
const corpus = allCorpusFiles().filter(
  ({ path, expect: expected }) =>
    /^tiff\/(?:pyramid\/)?[^/]+\.(?:tiff?|svs)$/i.test(path) && expected !== "error",
);
if (!corpusIsHere) console.warn(corpusIsMissing);
const resolveName = (path: string): string => path.replaceAll("/", "-");

let pair: Pair;

beforeAll(async () => {
  pair = await startPair();
  for (const file of corpus)
    await pair.put(resolveName(file.path), await readFile(corpusPath(file)));
}, 60_000);

afterAll(() => pair?.close());

describe.runIf(corpusIsHere)("TIFFs on a web server are served like local ones", () => {
  it.each(corpus.map(({ path }) => resolveName(path)))(
    "%s",
    (name) => expectAllAlike(name, pair),
    60_000,
  );
});
