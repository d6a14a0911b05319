import { beforeAll, describe, expect, test } from "vitest";
import {
  codedItem,
  derivedItem,
  gridData,
  type HeifItem,
  type HeifParts,
  heifOf,
  overlayData,
} from "../../../test/heif/file.ts";
import { near, opened } from "../../../test/heif/opened.ts";
import {
  blue,
  brands,
  hidden,
  lime,
  type Pictures,
  pictures,
  red,
  whole,
} from "../../../test/heif/pictures.ts";
import { box, numbers } from "../../../test/jp2.ts";
import { memoryReader } from "../../../test/readers.ts";
import { prepareVips } from "../libvips/setup.ts";

const open = (parts: HeifParts) => opened(memoryReader(heifOf(parts)));

describe.each(["avif", "heic"] as const)("of %s", (format) => {
  const named = brands[format];
  let own: Pictures;
  beforeAll(async () => {
    await prepareVips();
    own = await pictures[format]();
  });

  /** A primary item that is derived from two images. */
  const derivedOf = (type: string, data?: Uint8Array, size = { width: 128, height: 64 }) => ({
    brands: named.still,
    primary: 1,
    items: [
      derivedItem(1, type, { size, ...(data && { data }) }),
      hidden(codedItem(2, own.red)),
      hidden(codedItem(3, own.blue)),
    ],
    references: [{ type: "dimg", from: 1, to: type === "iden" ? [2] : [2, 3] }],
  });
  const left = { x: 8, y: 8, width: 32, height: 32 };
  const right = { x: 80, y: 8, width: 32, height: 32 };

  test("a grid is assembled", async () => {
    const size = { width: 120, height: 60 };
    const { info, colour } = await open(derivedOf("grid", gridData(1, 2, size), size));
    expect(info.pages.map((page) => page.size)).toEqual([size]);
    expect(await colour(0, { part: left })).toEqual(near(red));
    expect(await colour(0, { part: right })).toEqual(near(blue));
  });

  test("an overlay is assembled", async () => {
    const size = { width: 128, height: 64 };
    const { colour } = await open(derivedOf("iovl", overlayData(size, [0, 0], [72, 0])));
    expect(await colour(0, { part: left })).toEqual(near(red));
    expect(await colour(0, { part: right })).toEqual(near(blue));
    expect(await colour(0, { part: { ...left, x: 66, width: 4 } })).toEqual(near([0, 0, 0]));
  });

  test("an identity item shows its image", async () => {
    const { info, colour } = await open(derivedOf("iden", undefined, whole));
    expect(info.pages).toHaveLength(1);
    expect(await colour(0)).toEqual(near(red));
  });

  test.each([
    ["jpeg", "its primary item is coded in JPEG"],
    ["j2k1", "its primary item is coded in JPEG 2000"],
    ["avc1", "its primary item is coded in AVC (H.264)"],
    ["vvc1", "its primary item is coded in VVC (H.266)"],
    ["unci", "its primary item is not compressed ('unci')"],
    ["mask", "its primary item is a mask"],
    ["tmap", "its primary item is a tone-mapped image with a gain map ('tmap')"],
    ["x'\u00e91", "its primary item is of the type 'x??1'"],
    format === "avif"
      ? ["hvc1", "its primary item is coded in HEVC"]
      : ["av01", "its primary item is coded in AV1"],
  ])("a primary item of type %s is refused by name", async (type, what) => {
    const refused = await open(derivedOf(type, new Uint8Array(62))).catch((error) => error);
    expect(refused).toMatchObject({ failure: "unreadable" });
    expect(refused.message).toContain(`${what}, which this version cannot read`);
  });

  test("a grid of unsupported items is refused by name", async () => {
    const size = { width: 64, height: 64 };
    const tile = hidden(derivedItem(2, "j2k1", { size, data: new Uint8Array(10) }));
    const parts = {
      brands: named.still,
      primary: 1,
      items: [derivedItem(1, "grid", { data: gridData(1, 1, size), size }), tile],
      references: [{ type: "dimg", from: 1, to: [2] }],
    };
    await expect(open(parts)).rejects.toThrow("a part of its grid is coded in JPEG 2000");
  });

  test("images without a primary item are refused by name", async () => {
    const parts = { brands: named.still, items: [codedItem(1, own.red), codedItem(2, own.blue)] };
    await expect(open(parts)).rejects.toThrow("names no primary item");
  });

  test("the base image of a gain map is read", async () => {
    const { items, ...rest } = derivedOf("tmap", new Uint8Array(62));
    const [map, base, gain] = items as [HeifItem, HeifItem, HeifItem];
    const shown = { ...base, hidden: false };
    const { info, colour } = await open({ ...rest, primary: 2, items: [shown, gain, map] });
    expect(info.pages).toHaveLength(1);
    expect(await colour(0)).toEqual(near(red));
  });

  test("a file with general brands is read according to its coding", async () => {
    const parts = { brands: ["mif1"], primary: 1, items: [codedItem(1, own.lime)] };
    const { info, colour } = await open(parts);
    expect(info.format).toBe(format);
    expect(await colour(0)).toEqual(near(lime));
  });
});

test("a rotated grid is rotated as a whole", async () => {
  const { red: first, blue: second } = await pictures.avif();
  const size = { width: 128, height: 64 };
  const quarter = box("irot", numbers(1, 3));
  const { info, colour } = await open({
    brands: brands.avif.still,
    primary: 3,
    items: [
      hidden(codedItem(1, first)),
      hidden(codedItem(2, second)),
      derivedItem(3, "grid", { data: gridData(1, 2, size), size }, quarter),
    ],
    references: [{ type: "dimg", from: 3, to: [1, 2] }],
  });
  expect(info.pages.map((page) => page.size)).toEqual([{ width: 64, height: 128 }]);
  expect(await colour(0, { part: { x: 8, y: 8, width: 32, height: 32 } })).toEqual(near(red));
  expect(await colour(0, { part: { x: 8, y: 80, width: 32, height: 32 } })).toEqual(near(blue));
});
