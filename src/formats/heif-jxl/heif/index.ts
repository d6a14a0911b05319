export { checkPrimary, type HeifFormat } from "./kinds.ts";
export { type HeifStructure, structureOf } from "./structure.ts";
export type { SequenceTracks } from "./tracks.ts";
