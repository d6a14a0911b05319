export { undoDifferences } from "./differences";
