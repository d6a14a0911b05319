export type { Format, Losses } from "./format.ts";
