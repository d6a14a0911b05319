import { setImmediate as nextTurn } from "node:timers/promises";

/** An entry of a folder. */
export interface NamedEntry {
  readonly kind: "folder" | "file" | "link";
  readonly name: string;
}

const collator = new Intl.Collator("en", { numeric: true });

/** Folders first, then by name as people count: 2 before 10. */
export const inOrder = (a: NamedEntry, b: NamedEntry): number =>
  Number(b.kind === "folder") - Number(a.kind === "folder") ||
  collator.compare(a.name, b.name) ||
  // Names that people count alike, such as 1 and 01, still have an order.
  (a.name < b.name ? -1 : Number(a.name > b.name));

/** Names that are sorted or merged between two turns of the event loop: some milliseconds. */
const perTurn = 1_000;

/**
 * The entries in order. Comparing names as people do takes a second for 100,000 of them, so that
 * other work gets its turn in between. Throws the signal's reason.
 */
export const sortedInTurns = async (
  entries: readonly NamedEntry[],
  signal: AbortSignal,
): Promise<readonly NamedEntry[]> => {
  let runs: (readonly NamedEntry[])[] = [];
  for (let at = 0; at < entries.length; at += perTurn) {
    if (at > 0) await turn(signal);
    runs.push(entries.slice(at, at + perTurn).sort(inOrder));
  }
  while (runs.length > 1) {
    const merged: (readonly NamedEntry[])[] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await mergedInTurns(runs[at] ?? [], runs[at + 1] ?? [], signal));
    runs = merged;
  }
  return runs[0] ?? [];
};

const mergedInTurns = async (
  one: readonly NamedEntry[],
  other: readonly NamedEntry[],
  signal: AbortSignal,
): Promise<readonly NamedEntry[]> => {
  if (other.length === 0) return one;
  const merged: NamedEntry[] = [];
  let [left, right] = [0, 0];
  while (left < one.length && right < other.length) {
    const [a, b] = [one[left] as NamedEntry, other[right] as NamedEntry];
    const isLeft = inOrder(a, b) <= 0;
    merged.push(isLeft ? a : b);
    if (isLeft) left++;
    else right++;
    if (merged.length % (perTurn * 5) === 0) await turn(signal);
  }
  return merged.concat(one.slice(left), other.slice(right));
};

const turn = async (signal: AbortSignal): Promise<void> => {
  await nextTurn();
  signal.throwIfAborted();
};
