import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import {
  codestreamIn,
  decoded,
  opened,
  partOf,
  testDecoder,
} from "../../../../test/codestreams.ts";
import {
  type CorpusFile,
  corpusFiles,
  corpusIsHere,
  corpusIsMissing,
  corpusPath,
} from "../../../../test/corpus.ts";
import { random } from "../../../../test/random.ts";
import type { Component, Plane } from "./contract.ts";

const decoder = await testDecoder(8_388_608);
const folder = mkdtempSync(join(tmpdir(), "vitrine-"));
afterAll(() => rmSync(folder, { recursive: true }));

const openJpeg = (options: readonly string[]): void => {
  execFileSync("opj_decompress", options, { stdio: "ignore" });
};

const openJpegIsHere = ((): boolean => {
  try {
    return execFileSync("bash", ["-c", "command -v opj_decompress"]).length > 0;
  } catch {
    return false;
  }
})();

const openJpegIsMissing =
  "opj_decompress (libopenjp2-tools) is not installed: nothing was compared with it";

const codestreamOf = (file: CorpusFile): Uint8Array => codestreamIn(readFileSync(corpusPath(file)));

const files = corpusFiles("jp2", "htj2k").filter(({ expect }) => expect === "ok");

describe.skipIf(!corpusIsHere)("codestreams of the corpus", () => {
  test.each(files.map((file) => [file.path, file] as const))(
    "%s has the same samples in regions and as a whole",
    async (path, file) => {
      const { whole } = random(path.length);
      const open = await opened(codestreamOf(file));
      const { image, levels } = open.codestream.header;
      expect(image.width * image.height).toBeGreaterThan(0);
      for (const reduce of [Math.min(1, levels), levels]) {
        const all = await decoded(decoder, open, { reduce });
        const [x, y] = [whole(0, image.width - 1), whole(0, image.height - 1)];
        const width = whole(1, Math.min(500, image.width - x));
        const height = whole(1, Math.min(500, image.height - y));
        const part = await decoded(await testDecoder(), open, {
          reduce,
          region: { x, y, width, height },
        });
        for (const [component, plane] of part.entries())
          expect([...plane.samples]).toEqual(partOf(all[component] ?? plane, plane));
      }
    },
  );
});

/**
 * OpenJPEG's samples: of subsampled components one by one, since together they would come out as
 * RGB.
 */
const byOpenJpeg = (
  bytes: Uint8Array,
  components: readonly Component[],
  reduce: number,
): Buffer[] => {
  const source = join(folder, "in.j2k");
  const target = join(folder, "out.rawl");
  writeFileSync(source, bytes);
  const isSubsampled = components.some(({ dx, dy }) => dx > 1 || dy > 1);
  const groups = isSubsampled ? components.map((_, index) => ["-c", `${index}`]) : [[]];
  return groups.map((group) => {
    openJpeg(["-i", source, "-o", target, "-r", `${reduce}`, ...group]);
    return readFileSync(target);
  });
};

/** As OpenJPEG writes them: signed numbers without sign extension. */
const written = ({ samples, precision, signed }: Plane): Buffer => {
  const mask = signed ? 2 ** precision - 1 : -1;
  const numbers = samples.map((sample) => sample & mask);
  return Buffer.from((precision > 8 ? Uint16Array : Uint8Array).from(numbers).buffer);
};

describe.skipIf(!corpusIsHere || !openJpegIsHere)("codestreams of the corpus, by OpenJPEG", () => {
  test.each(files.map((file) => [file.path, file] as const))(
    "%s equals OpenJPEG's result, bit for bit",
    async (_, file) => {
      const bytes = codestreamOf(file);
      const open = await opened(bytes);
      const { levels, components } = open.codestream.header;
      for (const reduce of [0, Math.min(2, levels)]) {
        const ours = (await decoded(decoder, open, { reduce })).map(written);
        const theirs = byOpenJpeg(bytes, components, reduce);
        expect(Buffer.concat(ours).equals(Buffer.concat(theirs))).toBe(true);
      }
    },
  );
});

if (!corpusIsHere) test(corpusIsMissing, ({ skip }) => skip(corpusIsMissing));
if (!openJpegIsHere) test(openJpegIsMissing, ({ skip }) => skip(openJpegIsMissing));
