/** Identifiers that were looked up, the latest first; the browser remembers them. */
export interface Recent {
  readonly list: readonly string[];
  /** The same with one more, which is remembered from now on. */
  with(identifier: string): Recent;
}

const remembered = "vitrine.images";
const max = 8;

export const recentImages = (): Recent => recent(read());

const recent = (list: readonly string[]): Recent => ({
  list,
  with(identifier) {
    const newer = [identifier, ...list.filter((other) => other !== identifier)].slice(0, max);
    localStorage.setItem(remembered, JSON.stringify(newer));
    return recent(newer);
  },
});

/** What is remembered; nothing where it is not what was written. */
const read = (): readonly string[] => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(remembered) ?? "[]");
    return Array.isArray(kept) ? kept.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
};
