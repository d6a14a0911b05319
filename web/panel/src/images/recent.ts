/** Recently opened identifiers, latest first; stored by the browser. */
export interface Recent {
  readonly list: readonly string[];
  /** Adds one and stores the list. */
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

/** The stored list; empty where it is invalid. */
const read = (): readonly string[] => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(remembered) ?? "[]");
    return Array.isArray(kept) ? kept.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
};
