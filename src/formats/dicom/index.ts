export { dicom } from "./format.ts";
