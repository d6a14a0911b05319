export { undoDifferences } from "./differences";
export { undoLzw } from "./lzw";
