export { hasCodec } from "./codecs.ts";
export type { DecodeSamples, SampleJob, WantedSamples } from "./sample-job.ts";
export { isPacked } from "./samples.ts";
export { isLab, labToSrgb, outputBits, type ValueRange } from "./scale.ts";
export { createTileDecoder, type TileDecoder, type TileRows } from "./tile-decode.ts";
export { damaged } from "./tile-failures.ts";
export type { TileKind } from "./tile-kind.ts";
export { createSampleDecoder } from "./tile-samples.ts";
export { yccMeaning } from "./ycc.ts";
