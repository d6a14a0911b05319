/** Keys without effect, and why. */
export interface Unused {
  readonly key: string;
  readonly remark: string;
}

/**
 * Reports why many keys have no effect, each reason once: a line for the reason, then the keys.
 * Keys with a common prefix are combined (`S3Cache.* (6)`) where no key in `used` has it too.
 */
export const unusedText = (unused: readonly Unused[], used: readonly string[]): string[] => {
  const reasons = new Map<string, string[]>();
  for (const { key, remark } of unused) reasons.set(remark, [...(reasons.get(remark) ?? []), key]);
  return [...reasons].flatMap(([remark, keys]) => {
    const others = [...used, ...unused.map(({ key }) => key).filter((key) => !keys.includes(key))];
    return [remark, ...wrapped(together(keys, others)).map((line) => `  ${line}`)];
  });
};

/** Groups keys by the shortest prefixes that they alone have. */
const together = (keys: readonly string[], others: readonly string[]): readonly string[] => {
  const groups = new Map<string, string[]>();
  for (const key of keys) {
    const beginning = beginnings(key).find(
      (start) => !others.some((other) => other.startsWith(start)),
    );
    const group = beginning ?? key;
    groups.set(group, [...(groups.get(group) ?? []), key]);
  }
  return [...groups].flatMap(([group, members]) =>
    members.length < fewest ? members : [`${group}* (${members.length})`],
  );
};

/** Fewer keys than this are listed one by one. */
const fewest = 3;

/** `a.`, `a.b.` of `a.b.c`. */
const beginnings = (key: string): readonly string[] =>
  [...key.matchAll(/\./g)].map(({ index }) => key.slice(0, index + 1));

const width = 96;

const wrapped = (items: readonly string[]): readonly string[] => {
  const lines: string[] = [];
  for (const item of items) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + item.length + 2 <= width)
      lines[lines.length - 1] = `${line}, ${item}`;
    else lines.push(item);
  }
  return lines;
};
