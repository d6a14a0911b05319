import { createHash } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import {
  codestreamBytes,
  codestreamNames,
  decoded,
  expectedSamples,
  opened,
  partOf,
  testDecoder,
} from "../../../../test/codestreams.ts";
import { random } from "../../../../test/random.ts";
import type { Plane } from "./contract.ts";
import { runInThreads } from "./threads.ts";

const expected = expectedSamples();
const decoder = await testDecoder();
const threads = runInThreads(() => ({ threads: 2, ms: 60_000 }));

afterAll(() => threads.close());

const hashOf = (planes: readonly Plane[]): string => {
  const hash = createHash("md5");
  for (const { samples } of planes) hash.update(Int32Array.from(samples));
  return hash.digest("hex");
};

describe.each(codestreamNames)("%s", (name) => {
  test("equals OpenJPEG's result at every resolution, bit for bit", async () => {
    const open = await opened(codestreamBytes(name));
    const hashes: Record<number, string> = {};
    for (let reduce = 0; reduce <= open.codestream.header.levels; reduce++)
      hashes[reduce] = hashOf(await decoded(decoder, open, { reduce }));
    expect(hashes).toEqual(expected[name]);
  });

  test("has the same samples in regions and as a whole, whatever is cached of blocks", async () => {
    const { whole } = random(name.length);
    // Room for a few blocks only, so that some are found again and others are evicted.
    const small = await testDecoder(65_536);
    const open = await opened(codestreamBytes(name));
    const { image, levels, layers } = open.codestream.header;
    for (let round = 0; round < 24; round++) {
      const [x, y] = [whole(0, image.width - 1), whole(0, image.height - 1)];
      const region = {
        x,
        y,
        width: whole(1, image.width - x),
        height: whole(1, image.height - y),
      };
      const wanted = { reduce: whole(0, levels), maxLayers: whole(1, layers) };
      const all = await decoded(decoder, open, wanted);
      const part = await decoded(small, open, { ...wanted, region });
      for (const [component, plane] of part.entries())
        expect([...plane.samples]).toEqual(partOf(all[component] ?? plane, plane));
    }
  });

  test("is decoded identically on threads", async () => {
    const open = await opened(codestreamBytes(name));
    const inThreads = await testDecoder(65_536, threads);
    for (const reduce of [0, 1, 0].filter((level) => level <= open.codestream.header.levels))
      expect(hashOf(await decoded(inThreads, open, { reduce }))).toBe(expected[name]?.[reduce]);
  });
});
