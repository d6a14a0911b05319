export { png } from "./format.ts";
