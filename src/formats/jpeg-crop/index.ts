export { type JpegCropper, loadJpegCropper, maxCropBytes } from "./crop.ts";
