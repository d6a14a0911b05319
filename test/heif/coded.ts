import sharp from "sharp";
import { readLocations } from "../../src/formats/metadata/avif-items.ts";

/** An image in the form of HEIF files: its size, its decoder configuration, and its data. */
export interface Coded {
  readonly type: "av01" | "hvc1";
  readonly width: number;
  readonly height: number;
  /** The contents of the box `av1C` or `hvcC`. */
  readonly configuration: Buffer;
  readonly data: Buffer;
}

/** An image of one colour in AV1; of a number, grey without chroma. */
export const av1Of = async (
  colour: readonly [number, number, number] | number,
  { width = 64, height = 64 }: { readonly width?: number; readonly height?: number } = {},
): Promise<Coded> => {
  const isGrey = typeof colour === "number";
  const [r, g, b] = isGrey ? [colour, colour, colour] : colour;
  const picture = sharp({ create: { width, height, channels: 3, background: { r, g, b } } });
  const file = await (isGrey ? picture.toColourspace("b-w") : picture)
    .avif({ quality: 90, chromaSubsampling: "4:4:4", effort: 0 })
    .toBuffer();
  const [place] = [...readLocations(contentsOf(file, "iloc")).values()].flatMap((at) => at.extents);
  if (place === undefined) throw new Error("Expected the AVIF to say where its data is");
  const data = file.subarray(place.offset, place.offset + place.length);
  return { type: "av01", width, height, configuration: contentsOf(file, "av1C"), data };
};

const contentsOf = (file: Buffer, type: string): Buffer => {
  const at = file.indexOf(type, 0, "latin1");
  if (at < 4) throw new Error(`Expected a box ${type} in the AVIF`);
  return file.subarray(at + 4, at - 4 + file.readUInt32BE(at - 4));
};

const hevc = (data: string): Coded => ({
  type: "hvc1",
  width: 64,
  height: 64,
  configuration: Buffer.from(
    "0101600000009000000000001ef000fcfdf8f800000f03a00001001840010c01ffff01600000030090000003000003001e928090a10001002c42010101600000030090000003000003001ea0208105964a924caf016e04040c080000030008000003000840a2000100074401c172b42240",
    "hex",
  ),
  data: Buffer.from(data, "hex"),
});

/**
 * Images of one colour, of 64 x 64, by
 * `ffmpeg -f lavfi -i color=red:s=64x64 -c:v libx265 -profile:v main`.
 */
export const hevcPictures = {
  red: hevc("0000001b2801af05b8566a1f15fe4c3ffffff0168f65fe4c4e4237b3a777e0"),
  lime: hevc("0000001b2801af05b8566a1e95fc30ffffffdfca1ffffdff4e4237b3a777e0"),
  blue: hevc("0000001b2801af05a8566a1f15ff1e47ff7bfe8a8effff638b08dece9ddf80"),
} as const;
