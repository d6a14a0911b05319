export { colour, grey } from "./colours";
export { scaleAcross, scaleDown } from "./scaling";
export { addTable, tableBytes } from "./huffman";
export { begin, decodeRow, position } from "./rows";
export { supply } from "./bits";
export { cropScan } from "./crop";
export { findMarker } from "./markers";

/** The start of the memory available to callers. */
export function base(): usize {
  return __heap_base;
}
