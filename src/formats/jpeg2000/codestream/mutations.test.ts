import { expect, test } from "vitest";
import { amount } from "../../../../test/amount.ts";
import { codestreamBytes, decoded, opened, testDecoder } from "../../../../test/codestreams.ts";
import { type Random, random } from "../../../../test/random.ts";
import { strictReader } from "../../../../test/strict-reader.ts";
import { ServerError } from "../../../core/errors.ts";

const mutations = amount(5_000);

const names = [
  "lrcp-layers-tiles",
  "rlcp-precincts-lossy",
  "rpcl-parts-halved",
  "pcrl-16-bits",
  "cprl-signed-12-bits",
  "progression-changes",
  "blocks-all-styles",
  "four-components",
] as const;

const strict = (bytes: Uint8Array) => strictReader(bytes, { maxReads: 20_000, mayReachOver: true });

/** Headers are damaged half of the time, since they can do the most harm. */
const mutate = (bytes: Uint8Array, { whole, one }: Random): Uint8Array => {
  const isCut = whole(1, 20) === 1;
  const copy = bytes.slice(0, isCut ? whole(0, bytes.length) : bytes.length);
  const end = whole(0, 1) === 0 ? Math.min(200, bytes.length) : bytes.length;
  for (let change = whole(1, 4); change > 0; change--) {
    const at = whole(2, end - 1);
    if (at < copy.length) copy[at] = one([whole(0, 255), 0, 1, 2, 0x7f, 0x80, 0xfe, 0xff]);
  }
  return copy;
};

test(`${mutations} damaged codestreams are decoded or refused, never read beyond their end`, {
  timeout: 300_000,
}, async () => {
  const numbers = random(15_444);
  const decoder = await testDecoder();
  const use = async (bytes: Uint8Array): Promise<"decoded" | "refused"> => {
    const reader = strict(bytes);
    try {
      const open = await opened(bytes, reader);
      const { image, levels } = open.codestream.header;
      const region = {
        x: 0,
        y: 0,
        width: Math.min(image.width, 200),
        height: Math.min(image.height, 200),
      };
      const reduce = numbers.whole(0, levels);
      for (const { width, height, samples } of await decoded(decoder, open, { region, reduce }))
        expect(samples.length).toBe(width * height);
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      expect(error.failure).toBe("unreadable");
      return "refused";
    } finally {
      expect(reader.complaints).toEqual([]);
    }
    return "decoded";
  };
  const outcomes = { decoded: 0, refused: 0 };
  const originals = names.map(codestreamBytes);
  for (let round = 0; round < mutations; round++) {
    const original = originals[round % originals.length] ?? new Uint8Array(0);
    outcomes[await use(mutate(original, numbers))]++;
  }
  // Otherwise the damage would be too much or too little to show anything.
  expect(outcomes.decoded).toBeGreaterThan(mutations / 10);
  expect(outcomes.refused).toBeGreaterThan(mutations / 10);
});
