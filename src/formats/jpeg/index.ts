export { jpeg } from "./format.ts";
