export type { Format } from "./format.ts";
