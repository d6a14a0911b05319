export { xpm } from "./format.ts";
