export type { EmbeddedBlocks } from "./blocks.ts";
export { carriesMetadata, embed } from "./embed.ts";
export { preservedBlocks } from "./preserved.ts";
