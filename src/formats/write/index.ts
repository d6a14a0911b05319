export { encoders, type FormatEncoder } from "./encode.ts";
export { flag, named } from "./encode-values.ts";
export { encodingOf } from "./encoding.ts";
export { type LevelQualities, qualityOfLevel, subsamplingOf } from "./level-encoding.ts";
export { type TileCompression, tileCompressions } from "./tile-compressions.ts";
export { noZstdEncoder, zstdEncoder } from "./zstd.ts";
