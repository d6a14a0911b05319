export { DecodedTiles, isDecoded } from "./decoded-tiles.ts";
export { encoded, jpegEncodingOf, whyNotEncoded } from "./encoding.ts";
export { canDraw, drawing, scaledDrawing } from "./jobs.ts";
export { maxJobBytes, maxJobPixels, maxJpegSide, type Scaling, scaledRegion } from "./limits.ts";
export { pixelEncoderWith } from "./pixel-encoder.ts";
export { decodedTiles, inlineTime, tileThreads } from "./resources.ts";
export type { PlacedTile, ScaleJob, TileJob } from "./tile-job.ts";
export { scalingBytes } from "./tile-scaling.ts";
export type { TileThreads } from "./tile-threads.ts";
