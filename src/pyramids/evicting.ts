/** The least recently used entries to delete, so that the rest fits into `maxBytes`. */
export const beyond = <T extends { readonly bytes: number; readonly usedMs: number }>(
  stored: readonly T[],
  maxBytes: number,
): readonly T[] => {
  let total = stored.reduce((sum, { bytes }) => sum + bytes, 0);
  const surplus: T[] = [];
  for (const one of stored.toSorted((a, b) => a.usedMs - b.usedMs)) {
    if (total <= maxBytes) break;
    surplus.push(one);
    total -= one.bytes;
  }
  return surplus;
};
