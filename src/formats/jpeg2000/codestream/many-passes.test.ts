import { expect, test } from "vitest";
import { decoded, opened, testDecoder } from "../../../../test/codestreams.ts";
import { codestreamOf, type HtPicture } from "../../../../test/ht-codestream.ts";
import { encodeCleanup } from "../../../../test/ht-encoder.ts";
import { random } from "../../../../test/random.ts";

const size = { width: 16, height: 16 };

/** Samples of up to four bits, in the lowest of 26 bit planes. */
const pictureOf = () => {
  const from = random(164);
  const values = Int32Array.from({ length: size.width * size.height }, () => from.whole(-15, 15));
  const block = { ...size, values };
  const picture: HtPicture = {
    ...size,
    cleanup: encodeCleanup(block, from),
    refinement: new Uint8Array(),
    passes: 1,
    magnitudeBits: 26,
    missing: 25,
    causal: false,
  };
  return { values, picture };
};

test.each([0, 1, 2, 10, 11, 12, 13, 20, 25])(
  "a block with %i bit planes of three passes each round-trips",
  async (placeholders) => {
    const { values, picture } = pictureOf();
    const open = await opened(codestreamOf({ ...picture, placeholders }));
    const [plane] = await decoded(await testDecoder(), open);
    expect([...(plane?.samples ?? [])]).toEqual([...values]);
  },
);
