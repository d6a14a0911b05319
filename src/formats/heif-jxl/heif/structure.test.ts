import { expect, test } from "vitest";
import { hevcPictures } from "../../../../test/heif/coded.ts";
import { alphaUrn, codedItem, derivedItem, gridData, heifOf } from "../../../../test/heif/file.ts";
import { memoryReader } from "../../../../test/readers.ts";
import { structureOf } from "./structure.ts";

const signal = new AbortController().signal;
const { red, lime, blue } = hevcPictures;
const size = { width: 128, height: 64 };

const file = heifOf({
  brands: ["hevc", "heic"],
  primary: 1,
  items: [
    derivedItem(1, "grid", { data: gridData(1, 2, size), size }),
    codedItem(2, red),
    codedItem(3, blue),
  ],
  references: [{ type: "dimg", from: 1, to: [2, 3] }],
  tracks: [
    {
      id: 7,
      handler: "auxv",
      frames: [red, lime],
      auxiliary: alphaUrn,
      references: [{ type: "auxl", to: [5] }],
    },
    { id: 5, handler: "pict", frames: [blue, lime], references: [{ type: "prem", to: [7] }] },
  ],
});

test("the primary item, its parts and the sequence's tracks are found", async () => {
  const structure = await structureOf(memoryReader(file), signal);
  expect(structure?.items?.primary).toBe(1);
  expect([...(structure?.items?.types ?? [])]).toEqual([
    [1, "grid"],
    [2, "hvc1"],
    [3, "hvc1"],
  ]);
  expect([...(structure?.items?.inputs ?? [])]).toEqual([[1, [2, 3]]]);
  expect(structure?.tracks).toEqual({
    main: { id: 5, frames: 2 },
    firstAt: file.lastIndexOf(blue.data),
    opacity: { id: 7, frames: 2, premultiplied: true },
  });
});

test("a file without them has neither", async () => {
  expect(await structureOf(memoryReader(heifOf({ brands: ["heic"] })), signal)).toEqual({});
});

test("damaged or truncated boxes are read or ignored without a failure", async () => {
  const from = file.indexOf("meta");
  const to = file.indexOf("mdat");
  for (let at = from; at < to; at++)
    for (const value of [0, 1, 0x7f, 0xff]) {
      const damaged = Buffer.from(file);
      damaged[at] = value;
      await structureOf(memoryReader(damaged), signal);
    }
  for (let length = 0; length < file.length; length++)
    await structureOf(memoryReader(file.subarray(0, length)), signal);
});
