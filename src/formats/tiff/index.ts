export { tiffStructures } from "./resources.ts";
