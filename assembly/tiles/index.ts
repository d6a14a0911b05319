export { inflate } from "./deflate/inflate";
export { undoDifferences } from "./differences";
export { undoLzw } from "./lzw";
export { unzstd } from "./zstandard/frames";
