/**
 * Has an OpenJPEG (2.5.1 to 2.5.4) in WebAssembly pass over TLM markers (ISO/IEC 15444-1, A.7.1) as
 * if they were comments: where they contradict the tile-parts, it writes outside of what it has
 * reserved (OpenJPEG's issue 1620), whereupon images are decoded or not, and later ones rightly
 * or not, by what the memory happens to hold. The lengths are of no use to who decodes whole
 * images. Returns whether its table of markers was found in the memory.
 */
export const passOverTileLengths = (memory: Uint8Array): boolean => {
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

/** An entry is a marker, where it may stand, and the index of a function. */
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
