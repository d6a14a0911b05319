import type { SampleJob } from "./sample-job.ts";
import { byteOfLight, lightOf } from "./sgilog.ts";

/**
 * Converts LogLuv of 24 bits (34677; G. W. Larson, "LogLuv encoding for full-gamut, high-dynamic
 * range images", 1998) to 8 bits, as `unlog` does that of 32: a pixel is 10 bits of a luminance's
 * logarithm, then 14 for the index of a chromaticity, most significant byte first. The returned
 * function throws where the tile ends early.
 */
export const createUnlog24 = (): ((job: SampleJob) => Uint8Array) => {
  const luminances = Float64Array.from({ length: luminanceCodes }, (_, code) => luminance(code));
  const lights = lightsOfCodes();
  return ({ bytes, layout, rows }) => {
    const length = layout.tile.width * rows * 3;
    if (bytes.length < length) throw new Error("a tile of LogLuv ends early");
    const out = new Uint8Array(length);
    for (let at = 0; at < length; at += 3) {
      const code = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
      const y = luminances[code >> 14] ?? 0;
      const light = (code & (chromaCodes - 1)) * 3;
      for (let channel = 0; channel < 3; channel++)
        out[at + channel] = byteOfLight(y * (lights[light + channel] ?? 0));
    }
    return out;
  };
};

const luminanceCodes = 1_024;
const chromaCodes = 16_384;

/** In steps of 1 / 64 of the logarithm to base two. */
const luminance = (code: number): number => (code === 0 ? 0 : 2 ** ((code + 0.5) / 64 - 12));

/** Red, green and blue of each chromaticity at luminance 1. */
const lightsOfCodes = (): Float64Array => {
  // Unused codes mean equal-energy white.
  const white = lightOf(4 / 19, 9 / 19);
  const lights = Float64Array.from(
    { length: chromaCodes * 3 },
    (_, index) => white[index % 3] ?? 0,
  );
  let code = 0;
  let row = 0;
  for (let run = 0; run < runs.length; run += 3) {
    const [start = 0, squares = 0, rows = 0] = runs.slice(run, run + 3);
    for (const end = row + rows; row < end; row++) {
      const v = firstRow + (row + 0.5) * side;
      for (let square = 0; square < squares; square++, code++)
        lights.set(lightOf(start / 1_000_000 + (square + 0.5) * side, v), code * 3);
    }
  }
  return lights;
};

/** The start of the first row of squares, in v', and the width and height of a square. */
const firstRow = 0.01694;
const side = 0.0035;

/**
 * The squares that the visible chromaticities are divided into, numbered row after row with v',
 * within a row with u': for each run of equal rows their start, in millionths of u', number of
 * squares, and number of rows.
 */
const runs: readonly number[] = [
  247_663, 4, 1, 243_779, 6, 1, 241_684, 7, 1, 237_874, 9, 1, 235_906, 10, 1, 232_153, 12, 1,
  228_352, 14, 1, 226_259, 15, 1, 222_371, 17, 1, 220_410, 18, 1, 214_710, 21, 1, 212_714, 22, 1,
  210_721, 23, 1, 204_976, 26, 1, 202_986, 27, 1, 199_245, 29, 1, 195_525, 31, 1, 193_560, 32, 1,
  189_878, 34, 1, 186_216, 36, 2, 182_592, 38, 1, 179_003, 40, 1, 175_466, 42, 1, 172_001, 44, 2,
  168_612, 46, 2, 163_575, 49, 1, 158_642, 52, 3, 153_815, 55, 2, 149_097, 58, 2, 142_746, 62, 3,
  138_270, 65, 3, 132_166, 69, 2, 126_204, 73, 3, 120_381, 77, 4, 112_962, 82, 3, 107_450, 86, 4,
  100_343, 91, 3, 95_126, 95, 4, 88_276, 100, 4, 81_523, 105, 4, 74_861, 110, 4, 68_290, 115, 4,
  63_573, 119, 4, 57_219, 124, 4, 50_985, 129, 5, 44_859, 134, 4, 40_571, 138, 4, 36_339, 142, 4,
  32_139, 146, 4, 27_947, 150, 3, 23_739, 154, 4, 19_504, 158, 3, 16_976, 161, 4, 12_639, 165, 3,
  9_991, 168, 3, 9_016, 170, 3, 6_217, 173, 2, 5_097, 175, 3, 3_909, 177, 2, 2_340, 177, 1, 2_389,
  170, 1, 1_068, 164, 1, 1_653, 157, 1, 717, 150, 1, 1_614, 143, 1, 270, 136, 1, 484, 129, 1, 1_103,
  123, 1, 1_242, 115, 1, 1_188, 109, 1, 1_011, 103, 1, 709, 97, 1, 301, 89, 1, 2_416, 82, 1, 3_251,
  76, 1, 3_246, 69, 1, 4_141, 62, 1, 5_963, 55, 1, 8_839, 47, 1, 10_490, 40, 1, 16_994, 31, 1,
  23_659, 21, 1,
];
