export { heic, jxl } from "./format.ts";
export { createSequenceDecoder } from "./sequence.ts";
