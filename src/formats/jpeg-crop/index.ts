export { JpegCropper, loadJpegCropper } from "./crop.ts";
