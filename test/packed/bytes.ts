import { random } from "../random.ts";

/** Kinds of data that compress differently. */
export const kindsOfBytes = [
  "none",
  "noise",
  "few",
  "three",
  "skewed",
  "runs",
  "near",
  "far",
  "differences",
] as const;
export type KindOfBytes = (typeof kindsOfBytes)[number];

type Draw = (at: number, out: Uint8Array) => number;

/** So many bytes of a kind, the same for the same seed. */
export const bytesOfKind = (kind: KindOfBytes, length: number, seed = 1): Uint8Array => {
  const { whole } = random(seed);
  const few = whole(1, 24);
  const distance = whole(1, 40);
  const chance = (percent: number): boolean => whole(1, 100) <= percent;
  const draws: Readonly<Record<KindOfBytes, Draw>> = {
    none: () => 7,
    noise: () => whole(0, 255),
    few: () => whole(0, few) * 3,
    three: () => Math.min(whole(0, 2), whole(0, 2)),
    skewed: () => Math.floor(Math.min(whole(0, 255), whole(0, 255), whole(0, 255), whole(0, 90))),
    runs: (at, out) => (chance(95) ? (out[at - 1] ?? 0) : whole(0, 255)),
    near: (at, out) => (chance(90) ? (out[at - distance] ?? 0) : whole(0, 255)),
    far: (at, out) => (at % 600 > 40 ? (out[at - 560] ?? whole(0, 255)) : whole(0, 255)),
    // Like differences of a photograph's neighbouring pixels: mostly small, up and down.
    differences: () => (whole(-9, 9) + whole(-9, 9) + whole(-9, 9)) >> 2,
  };
  const draw = draws[kind];
  const out = new Uint8Array(length);
  for (let at = 0; at < length; at++) out[at] = draw(at, out);
  return out;
};
