export { asBuffer } from "./buffer.ts";
export { createTileEncoder, type TileEncoder } from "./encoder.ts";
export { loadTurbo } from "./load.ts";
