export { svg } from "./format.ts";
