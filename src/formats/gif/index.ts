export { gif } from "./format.ts";
