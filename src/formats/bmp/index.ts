export { bmp } from "./format.ts";
