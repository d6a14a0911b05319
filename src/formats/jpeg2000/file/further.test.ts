import { beforeAll, describe, expect, it } from "vitest";
import { box, jp2Of, namedColour, numbers, palette, sizeBox } from "../../../../test/jp2.ts";
import { jpeg2000File, storedTile } from "../../../../test/jpeg2000-files.ts";
import { plan } from "../../../../test/plans.ts";
import { memoryReader } from "../../../../test/readers.ts";
import { Config } from "../../../config/store.ts";
import { createCodecs } from "../../index.ts";
import { Resources } from "../../pool/resources.ts";

const signal = new AbortController().signal;

const opened = async (bytes: Uint8Array) => {
  const { decoder } = await createCodecs(new Resources(new Config()))("jp2");
  if (decoder === undefined) throw new Error("Expected a decoder");
  const reader = memoryReader(bytes);
  const info = await decoder.info(reader, signal);
  const pixels = async (page: number, known = info): Promise<Buffer> => {
    const { size } = known.pages[page] ?? known.pages[0];
    const window = { page, region: { x: 0, y: 0, ...size }, atLeast: size };
    const { image } = await decoder.read(reader, known, window, plan, signal);
    return image.raw().toBuffer();
  };
  return { info, pixels };
};

/** A file with the boxes that follow the brands of a JPX. */
const jpxOf = (...boxes: readonly Uint8Array[]): Buffer => {
  const file = jp2Of(...boxes);
  file.write("jpx ", file.indexOf("jp2 ", file.indexOf("ftyp") + 8), "latin1");
  return file;
};

/** The codestreams of a layer, each in steps of one from the origin. */
const registration = (...codestreams: readonly number[]): Buffer =>
  box(
    "creg",
    numbers(2, 1, 1),
    ...codestreams.flatMap((one) => [numbers(2, one), numbers(1, 1, 1, 0, 0)]),
  );

describe("the codestreams of a JPX", () => {
  let rgb: Buffer;
  let grey: Buffer;
  let large: Buffer;
  beforeAll(async () => {
    rgb = await storedTile("rgb8.j2k");
    grey = await storedTile("grey8.j2k");
    large = await jpeg2000File("blocks.j2c");
  });

  const greys = Array.from({ length: 256 }, (_, value) => value);
  const colours = palette(
    greys,
    greys.map((value) => 255 - value),
    greys.map((value) => value >> 1),
  );
  const header = () => box("jp2h", sizeBox(32, 32), namedColour(16));
  const file = (): Buffer =>
    jpxOf(
      header(),
      box("jpch"),
      box("jpch", sizeBox(301, 219)),
      box("jpch", colours),
      box("jplh", registration(0)),
      box("jplh", box("cgrp", namedColour(16)), registration(2)),
      box("jp2c", rgb),
      box("jp2c", large),
      box("jp2c", grey),
    );

  it("are pages, each with its own header and the shared defaults", async () => {
    const { info, pixels } = await opened(file());
    expect(info.pages.map(({ size: { width, height } }) => [width, height])).toEqual([
      [32, 32],
      [301, 219],
      [32, 32],
    ]);
    expect(info.pages[1]?.levels.length).toBeGreaterThan(1);
    const alone = await opened(large);
    expect((await pixels(1)).equals(await alone.pixels(0))).toBe(true);
    const coloured = await opened(
      jp2Of(box("jp2h", sizeBox(32, 32), namedColour(16), colours), box("jp2c", grey)),
    );
    expect((await pixels(2)).equals(await coloured.pixels(0))).toBe(true);
    expect(info.pages[2]?.colour.model).toBe("rgb");
    await expect(pixels(3)).rejects.toMatchObject({ failure: "missing" });
  });

  it("are found again when the info comes from a cache", async () => {
    const { info, pixels } = await opened(file());
    const first = await pixels(2);
    expect((await pixels(2, structuredClone(info))).equals(first)).toBe(true);
  });

  it("that are truncated or damaged are not pages, but later ones are", async () => {
    const cut = file().subarray(0, -20);
    expect((await opened(cut)).info.pages).toHaveLength(2);
    const damaged = jpxOf(
      header(),
      box("jp2c", rgb),
      box("jp2c", Buffer.alloc(200, 0x55)),
      // Its size differs from its header's.
      box("jp2c", large),
      box("jpch"),
      box("jpch"),
      box("jpch", sizeBox(300, 219)),
      box("jp2c", grey),
    );
    const { info, pixels } = await opened(damaged);
    expect(info.pages).toHaveLength(2);
    expect((await pixels(1)).equals(await (await opened(grey)).pixels(0))).toBe(true);
  });

  it("are only the first in a JP2, and the first hundred of many", async () => {
    const two = jp2Of(header(), box("jp2c", rgb), box("jp2c", grey));
    expect((await opened(two)).info.pages).toHaveLength(1);
    const many = jpxOf(header(), ...Array.from({ length: 120 }, () => box("jp2c", rgb)));
    expect((await opened(many)).info.pages).toHaveLength(100);
  });
});
