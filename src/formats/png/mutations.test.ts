import { expect, test } from "vitest";
import { amount } from "../../../test/amount.ts";
import { animated, withChecksums } from "../../../test/apng.ts";
import { useDamaged } from "../../../test/mutating.ts";
import { Config } from "../../config/store.ts";
import { decodingKeys } from "../shared/keys.ts";
import { createPngDecoder } from "./decoder.ts";

const count = amount(2_000);

test(`${count} corrupt animations are read or rejected, without reading past their end`, {
  timeout: 300_000,
}, async () => {
  const decoder = createPngDecoder(new Config().view(decodingKeys));
  const rect = { x: 1, y: 0, width: 2, height: 1 };
  const frames = [
    { pixel: [255, 0, 0, 255] },
    { rect, pixel: [0, 255, 0, 128], dispose: 2, blend: 1 },
    { rect, pixel: [0, 0, 255, 255], dispose: 1 },
    { pixel: [9, 9, 9, 0], blend: 1 },
  ] as const;
  const originals = [animated(frames), animated(frames, [1, 2, 3, 255])];
  const damage = { count, seed: 1_997, mend: withChecksums };
  const outcomes = await useDamaged(decoder, originals, damage);
  // Otherwise the damage would be too much or too little to show anything.
  expect(outcomes.read).toBeGreaterThan(count / 10);
  expect(outcomes.refused).toBeGreaterThan(count / 10);
});
