import { expect, test } from "vitest";
import { codestreamBytes, decoded, opened, testDecoder } from "../../../../test/codestreams.ts";
import { memoryReader } from "../../../../test/readers.ts";
import { type Repacking, repacked, takenToPieces } from "../../../../test/repacking.ts";

const pieces = takenToPieces(codestreamBytes("lrcp-layers-tiles"));
const decoder = await testDecoder();

const samplesOf = async (bytes: Uint8Array): Promise<number[][]> =>
  (await decoded(decoder, await opened(bytes))).map(({ samples }) => [...samples]);

const whole = await samplesOf(codestreamBytes("lrcp-layers-tiles"));

const ways: readonly (readonly [string, Repacking])[] = [
  ["without markers of packets", {}],
  ["with packet headers in those of tile-parts", { headers: "PPT" }],
  ["with packet headers in the main one", { headers: "PPM" }],
  ["with lists of packets in the headers of tile-parts", { lengths: "PLT" }],
  ["with lists of packets in the main header", { lengths: "PLM", parts: 4 }],
  ["in parts that are mixed", { parts: 3 }],
  ["in parts that are mixed, the last with its length left open", { parts: 3, open: true }],
  ["in parts with packed headers", { parts: 2, headers: "PPT" }],
  ["in parts with headers packed in the main one", { parts: 2, headers: "PPM" }],
  ["in parts with lists of packets", { parts: 2, lengths: "PLT" }],
  ["with a list of tile-parts", { parts: 2, list: 2 }],
  ["with a list of tile-parts with short numbers", { parts: 2, list: 1 }],
  ["with a list of tile-parts without numbers", { list: 0 }],
  ["with a list of tile-parts that is wrong", { parts: 2, list: "wrong" }],
];

test.each(ways)("a codestream %s decodes to the same samples", async (_, repacking) => {
  expect(await samplesOf(repacked(pieces, repacking))).toEqual(whole);
});

test("a tile with fewer levels than the main header is reduced further by skipping samples", async () => {
  const few = takenToPieces(codestreamBytes("lrcp-few-levels"));
  const at = few.main.indexOf("ff52", "hex");
  // COD and QCD of the other file are put into the tile's header.
  const own = few.main.subarray(at, few.main.indexOf("ff64", at, "hex"));
  const parts = pieces.parts.map((part) => {
    const other = few.parts.find(({ tile }) => tile === part.tile);
    return part.tile === 4 && other ? { ...other, segments: own } : part;
  });
  const mixed = await opened(repacked({ ...pieces, parts }, {}));
  // The tile in the middle.
  const region = { x: 47, y: 39, width: 47, height: 39 };
  const [plane] = await decoded(decoder, mixed, { region, reduce: 3 });
  const [half] = await decoded(decoder, await opened(codestreamBytes("lrcp-few-levels")), {
    reduce: 1,
  });
  const expected = [5, 6, 7, 8, 9].flatMap((row) =>
    [6, 7, 8, 9, 10, 11].map((column) => half?.samples[row * 4 * half.width + column * 4]),
  );
  expect(plane).toMatchObject({ x: 6, y: 5, width: 6, height: 5 });
  expect([...(plane?.samples ?? [])]).toEqual(expected);
});

test("a wrong list of packets is ignored", async () => {
  const bytes = Buffer.from(repacked(pieces, { lengths: "PLT" }));
  // The third length of the first list.
  const at = bytes.indexOf("ff58", "hex") + 7;
  bytes[at] = ((bytes[at] ?? 0) ^ 1) & 127;
  expect(await samplesOf(new Uint8Array(bytes))).toEqual(whole);
});

test("only the needed listed parts are read", async () => {
  const comment = Buffer.alloc(60_004);
  comment.writeUInt32BE(0xff64ea62);
  const parts = pieces.parts.map((part) => ({ ...part, segments: comment }));
  const bytes = repacked({ ...pieces, parts }, { lengths: "PLT", list: 1 });
  const read = new Set<number>();
  const reader = {
    ...memoryReader(bytes),
    read: async (offset: number, length: number) => {
      for (let at = offset; at < Math.min(offset + length, bytes.length); at++) read.add(at);
      return bytes.subarray(offset, offset + length);
    },
  };
  const region = { x: 95, y: 79, width: 6, height: 4 };
  await decoded(await testDecoder(), await opened(bytes, reader), { region });
  // One of nine parts, and what is read ahead.
  expect(bytes.length).toBeGreaterThan(540_000);
  expect(read.size).toBeLessThan(100_000);
});
