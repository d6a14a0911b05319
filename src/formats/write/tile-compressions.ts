/** The compressions available for tiles. */
export const tileCompressions = ["jpeg", "webp", "deflate", "zstd", "lzw", "none"] as const;
export type TileCompression = (typeof tileCompressions)[number];
