import { type Random, random } from "../test/random.ts";

/** Files that a load is made of, by the names they are served under. */
export interface LoadFiles {
  readonly sound: readonly string[];
  /** Corrupt or hostile ones. */
  readonly hostile: readonly string[];
}

/**
 * Paths for a load over all formats: whole images, parts, tiles and thumbnails, in all formats
 * that are written.
 */
export const mixedLoad = (
  { sound, hostile }: LoadFiles,
  { count, seed }: { readonly count: number; readonly seed: number },
): [string, ...string[]] => {
  const dice = random(seed);
  const names = shuffled(sound, dice);
  const bad = shuffled(hostile, dice);
  const path = (number: number): string => {
    const isBad = bad.length > 0 && number % 6 === 5;
    const from = isBad ? bad : names;
    // All of them are used, the hostile ones in a sixth of the requests.
    const turn = isBad ? Math.floor(number / 6) : number - Math.floor(number / 6);
    return `/iiif/3/${encodeURIComponent(from[turn % from.length] ?? "")}/${wanted(dice)}`;
  };
  return [path(0), ...Array.from({ length: count - 1 }, (_, at) => path(at + 1))];
};

const wanted = (dice: Random): string =>
  dice.whole(0, 7) === 0
    ? "info.json"
    : `${dice.one(regions)}/${dice.one(sizes)}/${dice.one(rotations)}/${dice.one(qualities)}.${dice.one(outputs)}`;

const regions = [
  "full",
  "full",
  "square",
  "pct:10,10,60,60",
  "pct:40,40,20,20",
  "0,0,512,512",
] as const;
const sizes = ["max", "!200,200", "!1000,1000", "!2500,2500", "512,", "pct:50"] as const;
const rotations = ["0", "0", "0", "0", "90", "!0", "7"] as const;
const qualities = ["default", "default", "default", "gray", "bitonal"] as const;
const outputs = [
  ...["jpg", "jpg", "jpg", "jpg", "jpg", "jpg", "png", "png", "webp", "webp"],
  ...["gif", "tif", "avif", "jp2", "jxl", "pdf"],
] as unknown as readonly [string, ...string[]];

const shuffled = (names: readonly string[], dice: Random): readonly string[] => {
  const all = [...names];
  for (let at = all.length - 1; at > 0; at--) {
    const other = dice.whole(0, at);
    [all[at], all[other]] = [all[other] ?? "", all[at] ?? ""];
  }
  return all;
};
