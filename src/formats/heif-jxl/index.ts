export { createSequenceDecoder } from "./sequence.ts";
