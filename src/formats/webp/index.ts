export { webp } from "./format.ts";
