export { tiff } from "./format.ts";
export { tiffStructures } from "./resources.ts";
