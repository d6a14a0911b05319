export { levelsOf, partOf } from "./pages.ts";
