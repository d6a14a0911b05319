export { sampleEncoders } from "./resources.ts";
export { type SampleEncoders, sampleEncodersHere } from "./threads.ts";
