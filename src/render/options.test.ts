import { describe, expect, it } from "vitest";
import { Config } from "../config/store.ts";
import type { FormatName } from "../core/formats.ts";
import { encodingKeys } from "../formats/write/keys.ts";
import { renderKeys } from "./keys.ts";
import { renderOptions } from "./options.ts";

const options = (values: Readonly<Record<string, unknown>>, format: FormatName) =>
  renderOptions(new Config(values).view({ ...renderKeys, ...encodingKeys })(), format);

describe("render options", () => {
  it("default to those of the keys", () => {
    expect(options({}, "jpg")).toEqual({
      downscaleFilter: "bicubic",
      upscaleFilter: "bicubic",
      linear: false,
      sharpen: 0,
      background: [255, 255, 255],
      colour: "keep",
      deep: false,
      preserve: false,
      encoding: {
        quality: 80,
        progressive: false,
        subsampling: "4:2:0",
        table: 3,
        optimise: false,
      },
    });
  });

  it("do not depend on settings of other formats", () => {
    const others: Record<FormatName, Readonly<Record<string, unknown>>> = {
      jpg: { "processor.png.compression_level": 9, "processor.webp.quality": 5 },
      png: { "processor.jpg.quality": 5, "processor.tif.compression": "JPEG" },
      tif: { "processor.jpg.quality": 5, "processor.gif.effort": 9 },
      gif: { "processor.jpg.quality": 5, "processor.keep_16_bit": true },
      webp: { "processor.avif.quality": 5, "processor.keep_16_bit": true },
      avif: { "processor.webp.quality": 5, "processor.jpg.progressive": true },
    };
    for (const [format, values] of Object.entries(others))
      expect(options(values, format as FormatName)).toEqual(options({}, format as FormatName));
  });

  it("depend on settings of the requested format", () => {
    const own: Record<FormatName, Readonly<Record<string, unknown>>> = {
      jpg: { "processor.jpg.quality": 5 },
      png: { "processor.keep_16_bit": true },
      tif: { "processor.tif.compression": "Deflate" },
      gif: { "processor.gif.dither": 1 },
      webp: { "processor.webp.lossless": true },
      avif: { "processor.avif.quality": 5 },
    };
    for (const [format, values] of Object.entries(own))
      expect(options(values, format as FormatName)).not.toEqual(options({}, format as FormatName));
  });

  it("preserve metadata if the format supports it", () => {
    const preserves = (format: FormatName) =>
      options({ "processor.metadata.preserve": true }, format).preserve;
    expect((["jpg", "gif", "pdf"] as const).map(preserves)).toEqual([true, true, false]);
  });

  it("accept any spelling of the background colour", () => {
    expect(options({ "processor.background_color": "#102030" }, "jpg").background).toEqual([
      16, 32, 48,
    ]);
    expect(options({ "processor.background_color": "red" }, "jpg").background).toEqual([255, 0, 0]);
  });

  it.each([
    ["LZW", "lzw"],
    ["Deflate", "deflate"],
    ["JPEG", "jpeg"],
    ["RLE", "packbits"],
    ["none", "none"],
    ["Uncompressed", "none"],
  ])("compress TIFFs by %s", (name, compression) => {
    expect(options({ "processor.tif.compression": name }, "tif").encoding).toMatchObject({
      compression,
    });
  });
});
