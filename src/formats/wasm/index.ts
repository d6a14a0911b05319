export { bytesAt, inputRoom, newKernel, place, type TileKernel } from "./tile-kernel.ts";
export { ReusedInstance, type Unpacker, undoDifferences } from "./unpacker.ts";
export { unxz } from "./xz.ts";
