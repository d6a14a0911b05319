import { defineKeys } from "../../src/config/keys.ts";
import { fail } from "../../src/core/errors.ts";
import { rasterOf } from "../../src/formats/libvips/index.ts";
import type { Format } from "../../src/formats/record/index.ts";
import { ours } from "../../src/formats/shared/index.ts";
import { decodingKeys } from "../../src/formats/shared/keys.ts";

const toyKeys = defineKeys({
  ...decodingKeys,
  "processor.toy.max_side": {
    type: "integer",
    default: 1_000,
    min: 1,
    doc: "The longest side of a toy image, in pixels.",
  },
});

const magic = "TOY1";
const headerBytes = 12;

/** A format that exists for a test: a magic number, two 32-bit sides and RGB pixels. */
export const toy: Format = {
  name: "toy",
  facts: {
    name: "Toy",
    extensions: ["toy"],
    mediaTypes: ["image/x-toy"],
    alpha: false,
    maxSide: 0,
  },
  signature: { matches: (start) => start.toString("latin1", 0, 4) === magic },
  reader: ours,
  keys: toyKeys,
  createDecoder: async ({ config }) => {
    const settings = config.view(toyKeys);
    return {
      async info(reader, signal) {
        const header = Buffer.from(await reader.read(0, headerBytes, signal));
        const size = { width: header.readUInt32LE(4), height: header.readUInt32LE(8) };
        const max = settings()["processor.toy.max_side"];
        if (Math.max(size.width, size.height) > max)
          fail("unreadable", `Expected a toy of at most ${max} pixels each way.`);
        const colour = { bits: 8, model: "rgb", alpha: false, profile: "none" } as const;
        return {
          format: "toy",
          pages: [{ size, orientation: 1, levels: [{ size, tile: size }], colour }],
        };
      },
      async read(reader, info, _window, _plan, signal) {
        const { size } = info.pages[0];
        const values = await reader.read(headerBytes, size.width * size.height * 3, signal);
        const image = rasterOf(
          { values, depth: 8, channels: 3 },
          { size, model: "rgb", profile: undefined, seconds: 10 },
        );
        return { image, size, covers: { x: 0, y: 0, ...size } };
      },
    };
  },
  metadata: async () => async (scan) => {
    scan.findings.addField({ name: "maker", value: "a child" });
  },
};

/** A file of the format, of one colour. */
export const toyFile = (width: number, height: number, colour: readonly number[]): Buffer => {
  const header = Buffer.alloc(headerBytes);
  header.write(magic, "latin1");
  header.writeUInt32LE(width, 4);
  header.writeUInt32LE(height, 8);
  return Buffer.concat([header, Buffer.alloc(width * height * 3, Buffer.from(colour))]);
};
