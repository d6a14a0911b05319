/** The name closest to `wanted`, if any is close enough to be meant. */
export const nearest = (wanted: string, names: Iterable<string>): string | undefined => {
  const text = wanted.toLowerCase();
  let best: string | undefined;
  let min = Math.max(2, Math.floor(text.length / 6)) + 1;
  for (const name of names) {
    if (Math.abs(name.length - text.length) >= min) continue;
    const edits = distance(text, name.toLowerCase());
    if (edits < min) {
      best = name;
      min = edits;
    }
  }
  return best;
};

/** The edit distance of two texts. */
const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) row = nextRow(row, to, { index, letter });
  return row[to.length] ?? 0;
};

const nextRow = (
  above: readonly number[],
  to: string,
  { index, letter }: { readonly index: number; readonly letter: string },
): number[] => {
  const row = [index + 1];
  for (let column = 1; column <= to.length; column++) {
    const change = (above[column - 1] ?? 0) + (letter === to[column - 1] ? 0 : 1);
    row.push(Math.min((above[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1, change));
  }
  return row;
};
