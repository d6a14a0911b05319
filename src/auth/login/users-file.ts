/** A person in a users file. */
export interface User {
  /** As bcrypt writes it, with the prefix `$2b$`. */
  readonly hash: string;
  readonly groups: readonly string[];
}

/** A parsed users file. */
export interface Users {
  readonly byName: ReadonlyMap<string, User>;
  /**
   * A hash without a known password that takes as long to compare as the most expensive one in the
   * file.
   */
  readonly nobody: string;
}

/** An invalid users file; the message names the line and what was expected, and no hash. */
export class UsersFileFault extends Error {
  override readonly name = "UsersFileFault";
}

/** The cost of new hashes, and of comparisons for unknown users where the file has no users. */
export const usualCost = 12;

/** Each step doubles the time of a comparison; 15 takes seconds. */
const [minCost, maxCost] = [4, 15] as const;

/**
 * Parses a file as Apache's `htpasswd -B` writes it: a line `name:hash` for each user, optionally
 * followed by `:group,group`; empty lines and those that begin with `#` are skipped. Throws
 * `UsersFileFault` for anything else.
 */
export const parseUsers = (text: string): Users => {
  const byName = new Map<string, User>();
  let dearest = 0;
  for (const [index, written] of linesOf(text).entries()) {
    const line = written.trim();
    if (line === "" || line.startsWith("#")) continue;
    const place = `line ${index + 1}`;
    const [name = "", hash = "", groups = "", ...more] = line.split(":");
    checkName(name, place);
    if (more.length > 0) fault(place, "name:hash or name:hash:group,group");
    if (byName.has(name)) fault(place, "each name once");
    const cost = costOf(hash, place);
    dearest = Math.max(dearest, cost);
    byName.set(name, { hash: `$2b$${hash.slice(4)}`, groups: groupsOf(groups, place) });
  }
  return { byName, nobody: hashOfNobody(dearest || usualCost) };
};

/**
 * A users file with a user added or replaced; without `groups`, an existing user's remain. Other
 * lines are unchanged.
 */
export const withUser = (
  text: string,
  name: string,
  { hash, groups }: { readonly hash: string; readonly groups?: readonly string[] | undefined },
): string => {
  checkName(name, "the name");
  const { byName } = parseUsers(text);
  const listed = (groups ?? byName.get(name)?.groups ?? []).map((group) => group.trim());
  const line = [name, hash, ...(listed.length > 0 ? [listed.join(",")] : [])].join(":");
  parseUsers(line);
  const lines = linesOf(text);
  if (lines.at(-1) === "") lines.pop();
  const index = lines.findIndex((one) => one.trim().split(":")[0] === name);
  lines.splice(index < 0 ? lines.length : index, index < 0 ? 0 : 1, line);
  return `${lines.join("\n")}\n`;
};

const linesOf = (text: string): string[] => text.split(/\r?\n/);

const fault = (place: string, expected: string): never => {
  throw new UsersFileFault(`${place}: expected ${expected}`);
};

const checkName = (name: string, place: string): void => {
  if (!/^[^\p{Cc}:#\s][^\p{Cc}:]*$/u.test(name) || name.trim() !== name || name.length > 255)
    fault(place, "a name of at most 255 characters, without colons, before the hash");
};

const costOf = (hash: string, place: string): number => {
  const [, digits] = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash) ?? [];
  if (digits === undefined)
    fault(
      place,
      "a hash by bcrypt ($2y$…), as `vitrine user add` and `htpasswd -B` write it; other kinds are not supported",
    );
  const cost = Number(digits);
  if (cost < minCost || cost > maxCost)
    fault(place, `a hash by bcrypt with a cost from ${minCost} to ${maxCost}, not ${cost}`);
  return cost;
};

const groupsOf = (text: string, place: string): readonly string[] => {
  if (text === "") return [];
  const groups = text.split(",").map((group) => group.trim());
  if (groups.some((group) => group === "" || /\p{Cc}/u.test(group)))
    fault(place, "groups separated by commas, none of them blank");
  return [...new Set(groups)];
};

const hashOfNobody = (cost: number): string =>
  `$2b$${String(cost).padStart(2, "0")}$${"nobody".padEnd(22, ".")}${"".padEnd(31, ".")}`;
