export { avif } from "./format.ts";
