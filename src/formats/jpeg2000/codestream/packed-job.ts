import type { BandJob, ComponentJob, LevelJob, WindowJob } from "./job.ts";
import { jobPlace } from "./job-memory.ts";

/** A job in its form for threads: repeated values are numbers in one buffer. */
export interface PackedJob
  extends Pick<
    WindowJob,
    "bytes" | "cache" | "left" | "wanted" | "transformed" | "interleaved" | "jpeg"
  > {
  /** Number of values that describe components, blocks and segments. */
  readonly lengths: readonly [number, number, number];
  /**
   * Buffer with these numbers: those of components in 64 bits, then the others in 32 bits;
   * transferred where it is not shared.
   */
  readonly numbers: ArrayBuffer | SharedArrayBuffer;
  /** Its beginning. */
  readonly at: number;
}

/** Packs a job, into its own memory where there is room; its bytes stay where they are. */
export const packed = (job: WindowJob): PackedJob => {
  const { bytes, cache, left, wanted, transformed, interleaved, jpeg } = job;
  const { blocks, segments, place } = job;
  const count = job.components.reduce((sum, component) => sum + numbersOf(component), 0);
  const lengths = [count, blocks.length, segments.length] as const;
  const length = count * 8 + (blocks.length + segments.length) * 4;
  const own = length <= jobPlace.bytes ? place : undefined;
  const { memory: numbers, at } = own ?? { memory: new ArrayBuffer(length), at: 0 };
  const target = { numbers: new Float64Array(numbers, at, count), at: 0 };
  for (const component of job.components) packComponent(component, target);
  const others = new Int32Array(numbers, at + count * 8, blocks.length + segments.length);
  others.set(blocks);
  others.set(segments, blocks.length);
  return { bytes, cache, left, wanted, transformed, interleaved, jpeg, lengths, numbers, at };
};

/** Unpacks a job; where it is in shared memory, valid while that belongs to it. */
export const unpackJob = (job: PackedJob): WindowJob => {
  const { bytes, cache, left, wanted, transformed, interleaved, jpeg, lengths, numbers, at } = job;
  const [parts, blocks, segments] = lengths;
  const from = { numbers: new Float64Array(numbers, at, parts), at: 0 };
  const components: ComponentJob[] = [];
  while (from.at < parts) components.push(componentOf(from));
  const others = new Int32Array(numbers, at + parts * 8, blocks + segments);
  return {
    ...{ components, bytes, cache, left, wanted, transformed, interleaved, jpeg },
    blocks: others.subarray(0, blocks),
    segments: others.subarray(blocks),
  };
};

/** Memory of a job to be transferred. */
export const transferList = ({ bytes, numbers }: PackedJob): ArrayBuffer[] =>
  [bytes.buffer, numbers].filter((memory) => memory instanceof ArrayBuffer);

/** Sequential access to numbers. */
interface Numbers {
  readonly numbers: Float64Array;
  at: number;
}

const perPart = 8;

const numbersOf = ({ levels }: ComponentJob): number =>
  levels.reduce((sum, { bands }) => sum + perPart * (1 + bands.length), perPart);

/**
 * Eight numbers of a component, then eight of each level, each followed by eight for each of its
 * bands.
 */
const packComponent = (component: ComponentJob, to: Numbers): void => {
  const { reversible, style, shift, width, height, precision, signed, levels } = component;
  put(
    to,
    reversible ? 1 : 0,
    style,
    shift,
    width,
    height,
    precision,
    signed ? 1 : 0,
    levels.length,
  );
  for (const { width, height, oddX, oddY, x, y, bands } of levels) {
    put(to, width, height, oddX, oddY, x, y, bands.length, 0);
    for (const { kind, magnitudeBits, step, width, height, blocks } of bands)
      put(to, kind, magnitudeBits, step, width, height, blocks[0], blocks[1], 0);
  }
};

const put = (
  to: Numbers,
  first: number,
  second: number,
  third: number,
  fourth: number,
  fifth: number,
  sixth: number,
  seventh: number,
  eighth: number,
): void => {
  const { numbers, at } = to;
  numbers[at] = first;
  numbers[at + 1] = second;
  numbers[at + 2] = third;
  numbers[at + 3] = fourth;
  numbers[at + 4] = fifth;
  numbers[at + 5] = sixth;
  numbers[at + 6] = seventh;
  numbers[at + 7] = eighth;
  to.at = at + perPart;
};

const componentOf = (from: Numbers): ComponentJob => {
  const { numbers, at } = from;
  from.at = at + perPart;
  const levels: LevelJob[] = [];
  for (let left = numbers[at + 7] ?? 0; left > 0; left--) levels.push(levelOf(from));
  return {
    reversible: numbers[at] === 1,
    style: numbers[at + 1] ?? 0,
    shift: numbers[at + 2] ?? 0,
    width: numbers[at + 3] ?? 0,
    height: numbers[at + 4] ?? 0,
    precision: numbers[at + 5] ?? 0,
    signed: numbers[at + 6] === 1,
    levels,
  };
};

const levelOf = (from: Numbers): LevelJob => {
  const { numbers, at } = from;
  from.at = at + perPart;
  const bands: BandJob[] = [];
  for (let left = numbers[at + 6] ?? 0; left > 0; left--) bands.push(bandOf(from));
  return {
    width: numbers[at] ?? 0,
    height: numbers[at + 1] ?? 0,
    oddX: numbers[at + 2] === 1 ? 1 : 0,
    oddY: numbers[at + 3] === 1 ? 1 : 0,
    x: numbers[at + 4] ?? 0,
    y: numbers[at + 5] ?? 0,
    bands,
  };
};

const bandOf = (from: Numbers): BandJob => {
  const { numbers, at } = from;
  from.at = at + perPart;
  return {
    kind: kinds[numbers[at] ?? 0] ?? 0,
    magnitudeBits: numbers[at + 1] ?? 0,
    step: numbers[at + 2] ?? 0,
    width: numbers[at + 3] ?? 0,
    height: numbers[at + 4] ?? 0,
    blocks: [numbers[at + 5] ?? 0, numbers[at + 6] ?? 0],
  };
};

const kinds = [0, 1, 2, 3] as const;
