import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { corpusFiles, corpusIsHere, corpusIsMissing, corpusPath } from "../../../test/corpus.ts";
import { heicOpener } from "./heic.ts";

const limits = { decoded: 536_870_912, pixels: 1_000_000_000, ms: 60_000, memory: 2 ** 30 };

describe.skipIf(!corpusIsHere)("HEIC files of the corpus", () => {
  test.each(corpusFiles("heic").map((file) => [file.path, file] as const))(
    "%s lists exactly the pages that can be decoded",
    { timeout: 60_000 },
    async (_, file) => {
      const picture = heicOpener(limits)(await readFile(corpusPath(file)));
      expect(picture.pages.length).toBeGreaterThan(0);
      for (const page of picture.pages.keys())
        expect(picture.tile(page, 0, 0).values.length).toBeGreaterThan(0);
      picture.close();
    },
  );

  test("an image whose sample layout cannot be determined is not a page", async () => {
    const file = corpusFiles("heic").find(({ path }) => path === "heic/multilayer002.heic");
    if (file === undefined)
      throw new Error("Expected a file whose sixth picture lies beyond its end");
    const picture = heicOpener(limits)(await readFile(corpusPath(file)));
    expect(picture.pages.map(({ bits }) => bits)).toEqual([8, 8, 8, 8, 8]);
    picture.close();
  });
});

if (!corpusIsHere) test(corpusIsMissing, ({ skip }) => skip(corpusIsMissing));
