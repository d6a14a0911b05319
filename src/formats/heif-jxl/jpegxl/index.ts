export { codestreamOf } from "./codestream.ts";
export { Broken, type JpegXlEngine, Refusal, startEngine } from "./engine.ts";
export { type JpegXlHeader, readHeader } from "./header.ts";
