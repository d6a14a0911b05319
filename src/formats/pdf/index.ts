export { pdf } from "./format.ts";
export { levelsOf, partOf } from "./pages.ts";
