/**
 * Makes OpenJPEG (2.5.1 to 2.5.4) in WebAssembly treat TLM markers (ISO/IEC 15444-1, A.7.1) as
 * comments: where they contradict the tile-parts, it writes out of bounds (OpenJPEG's issue 1620),
 * and whether this image and later ones are decoded correctly then depends on the content of
 * memory. Decoding whole images does not need the lengths. Returns whether its table of markers was
 * found in memory.
 */
export const skipTileLengths = (memory: Uint8Array): boolean => {
  const view = new DataView(memory.buffer, memory.byteOffset, memory.byteLength);
  for (let at = 0; at + entryBytes * maxEntries <= memory.length; at += 4) {
    if (view.getUint32(at, true) !== startOfTilePart) continue;
    const lengths = entryOf(view, at, tileLengths);
    const comments = entryOf(view, at, comment);
    if (lengths === undefined || comments === undefined) continue;
    view.setUint32(lengths + handlerAt, view.getUint32(comments + handlerAt, true), true);
    return true;
  }
  return false;
};

/** Markers: SOT, which comes first in the table, TLM and COM. */
const startOfTilePart = 0xff90;
const tileLengths = 0xff55;
const comment = 0xff64;

/** An entry is a marker, where it is allowed, and the index of a function. */
const entryBytes = 12;
const handlerAt = 8;
const maxEntries = 32;

const entryOf = (view: DataView, table: number, marker: number): number | undefined => {
  for (let index = 0; index < maxEntries; index++) {
    const at = table + index * entryBytes;
    const found = view.getUint32(at, true);
    if (found === marker) return at;
    if (found >> 8 !== 0xff) return undefined;
  }
  return undefined;
};
