export { decodeJpeg } from "./decode.ts";
export { frameOf, type JpegFrame } from "./segments.ts";
