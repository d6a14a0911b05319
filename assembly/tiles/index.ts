export { inflate } from "./deflate/inflate";
export { undoDifferences } from "./differences";
export { undoLzw } from "./lzw";
