export { encoders, type FormatEncoder } from "./encode.ts";
export { flag, named } from "./encode-values.ts";
export { encodingKeys, encodingOf } from "./encoding.ts";
