import type { Random } from "../../test/random.ts";

/** A way to corrupt a file. */
type Mutation = (bytes: Buffer, random: Random) => Buffer;

/** Half of the time near the start, where most can go wrong. */
const placeIn = (bytes: Buffer, { whole, one }: Random): number =>
  whole(0, Math.max(0, Math.min(bytes.length, one([512, bytes.length])) - 1));

const flipBits: Mutation = (bytes, random) => {
  for (let left = random.whole(1, 8); left > 0; left--) {
    const at = placeIn(bytes, random);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.whole(0, 7));
  }
  return bytes;
};

const setBytes: Mutation = (bytes, random) => {
  for (let left = random.whole(1, 4); left > 0; left--)
    bytes[placeIn(bytes, random)] = random.one([random.whole(0, 255), 0, 1, 0x7f, 0x80, 0xff]);
  return bytes;
};

const cut: Mutation = (bytes, { whole }) => bytes.subarray(0, whole(0, bytes.length));

/** Swaps two ranges. */
const swapBlocks: Mutation = (bytes, random) => {
  const length = random.whole(1, Math.max(1, bytes.length >> 3));
  const [one, other] = [placeIn(bytes, random), placeIn(bytes, random)];
  const held = Buffer.from(bytes.subarray(one, one + length));
  bytes.copy(bytes, one, other, other + held.length);
  held.copy(bytes, other);
  return bytes;
};

const lengths = [0, 1, 2, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0xffff_ffff] as const;

/** Changes what may be a length, an offset or a count. */
const changeLength: Mutation = (bytes, random) => {
  for (let left = random.whole(1, 3); left > 0; left--) {
    const size = random.one([2, 4]);
    const at = placeIn(bytes, random);
    if (at + size > bytes.length) continue;
    const value = random.one([...lengths, random.whole(0, bytes.length), random.whole(0, 65_535)]);
    const fitting = size === 2 ? value & 0xffff : value;
    if (random.one([true, false])) bytes.writeUIntBE(fitting, at, size);
    else bytes.writeUIntLE(fitting, at, size);
  }
  return bytes;
};

/** Removes or repeats a range. */
const moveRest: Mutation = (bytes, random) => {
  const at = placeIn(bytes, random);
  const length = random.whole(1, 4_096);
  return random.one([true, false])
    ? Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
    : Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]);
};

/** The ways, by name. */
export const mutations = { flipBits, setBytes, cut, swapBlocks, changeLength, moveRest } as const;

/** A corrupt copy of a file, and the way it was corrupted. */
export const mutated = (
  file: Uint8Array,
  random: Random,
): { readonly bytes: Buffer; readonly way: keyof typeof mutations } => {
  const way = random.one(Object.keys(mutations) as [keyof typeof mutations]);
  return { way, bytes: mutations[way](Buffer.from(file), random) };
};
