export { jpeg2000 } from "./format.ts";
