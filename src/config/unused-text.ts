/** Keys that have no effect, and why. */
export interface Unused {
  readonly key: string;
  readonly remark: string;
}

/**
 * Says of many keys why they have no effect, each reason once: a line for the reason, then the
 * keys. Keys of a common beginning are put together (`S3Cache.* (6)`) where no key in `used` has it
 * too.
 */
export const unusedText = (unused: readonly Unused[], used: readonly string[]): string[] => {
  const reasons = new Map<string, string[]>();
  for (const { key, remark } of unused) reasons.set(remark, [...(reasons.get(remark) ?? []), key]);
  return [...reasons].flatMap(([remark, keys]) => {
    const others = [...used, ...unused.map(({ key }) => key).filter((key) => !keys.includes(key))];
    return [remark, ...wrapped(together(keys, others)).map((line) => `  ${line}`)];
  });
};

/** Puts keys together under the shortest beginnings that they alone have. */
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

/** Fewer keys than this are named one by one. */
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
