import { expandCodewords } from "../src/formats/jpeg2000/codestream/ht-codewords.ts";
import type { Random } from "./random.ts";

/** Coefficients of a block, row by row, in units of its lowest bit plane. */
export interface Coefficients {
  readonly width: number;
  readonly height: number;
  readonly values: Int32Array;
}

/**
 * The cleanup segment of an HT code-block (Rec. ITU-T T.814, annex F), with any valid codewords: an
 * encoder would use the shortest.
 */
export const encodeCleanup = (block: Coefficients, random: Random): Uint8Array => {
  const streams = {
    magnitudes: new Forward(),
    runs: new Runs(),
    codewords: new Backward(),
    random,
  };
  const across = Math.ceil(block.width / 2);
  const quads = quadsOf(block);
  const quadAt: QuadAt = (row, column) =>
    (row < 0 || column < 0 || column >= across ? undefined : quads[row * across + column]) ?? none;
  for (let row = 0; row * across < quads.length; row++)
    for (let pair = 0; pair < across; pair += 2) {
      const columns = pair + 1 < across ? [pair, pair + 1] : [pair];
      const written = columns.map((column) => measured(quadAt, row, column));
      writePair(written, row === 0, streams);
    }
  const { magnitudes, runs, codewords } = streams;
  return joined(magnitudes.end(), [...runs.end(), ...codewords.end()]);
};

interface Streams {
  readonly magnitudes: Forward;
  readonly runs: Runs;
  readonly codewords: Backward;
  readonly random: Random;
}

const writePair = (written: readonly Written[], first: boolean, streams: Streams): void => {
  for (const each of written) {
    const { quad, context } = each;
    if (context === 0) streams.runs.event(quad.rho === 0 ? 0 : 1);
    if (context > 0 || quad.rho > 0) each.entry = writePattern(first, each, streams);
  }
  writeOffsets(written, { first, ...streams });
  for (const each of written) writeMagnitudes(each, streams.magnitudes);
};

/** Writes any codeword for the given pattern, and returns its entry. */
const writePattern = (first: boolean, written: Written, { random, codewords }: Streams): number => {
  const choice = choices(first, written);
  const { pattern, entry } = choice[random.whole(0, choice.length - 1)] ?? missing();
  codewords.put(pattern, entry & 7);
  return entry;
};

type QuadAt = (row: number, column: number) => Quad;

/** A quad's context from its neighbours, and what has to be coded (7.3). */
const measured = (quadAt: QuadAt, row: number, column: number): Written => {
  const quad = quadAt(row, column);
  const [left, above] = [quadAt(row, column - 1), quadAt(row - 1, column)];
  const [before, after] = [quadAt(row - 1, column - 1), quadAt(row - 1, column + 1)];
  const context =
    row === 0
      ? (left.rho & 1) | (left.rho >> 1)
      : (bit(above.rho, 1) | bit(before.rho, 3)) +
        2 * (bit(left.rho, 2) | bit(left.rho, 3)) +
        4 * (bit(above.rho, 3) | bit(after.rho, 1));
  const expected = Math.max(
    above.exponents[1],
    above.exponents[3],
    before.exponents[3],
    after.exponents[1],
  );
  const several = (quad.rho & (quad.rho - 1)) !== 0;
  const kappa = several ? Math.max(1, expected - 1) : 1;
  const bound = Math.max(kappa, ...quad.exponents);
  return { quad, context, bound, offset: bound - kappa, entry: 0 };
};

const writeMagnitudes = ({ quad, bound, entry }: Written, magnitudes: Forward): void => {
  for (const [sample, value] of quad.values.entries())
    if (bit(quad.rho, sample) === 1) {
      const count = bound - bit(entry >> 12, sample);
      magnitudes.put(value & (2 ** count - 1), count);
    }
};

type Four = readonly [number, number, number, number];

interface Quad {
  readonly rho: number;
  /** Of the four samples: as many bits as twice the magnitude less one has. */
  readonly exponents: Four;
  /** Twice the magnitude less two, and the sign. */
  readonly values: Four;
}

interface Written {
  readonly quad: Quad;
  readonly context: number;
  readonly bound: number;
  readonly offset: number;
  entry: number;
}

const none: Quad = { rho: 0, exponents: [0, 0, 0, 0], values: [0, 0, 0, 0] };

const bit = (bits: number, at: number): number => (bits >> at) & 1;

const missing = (): never => {
  throw new Error("there is no codeword");
};

const quadsOf = ({ width, height, values }: Coefficients): Quad[] => {
  const quads: Quad[] = [];
  for (let y = 0; y < height; y += 2)
    for (let x = 0; x < width; x += 2) {
      const samples = four((sample) => {
        const [column, row] = [x + (sample >> 1), y + (sample & 1)];
        return column < width && row < height ? (values[row * width + column] ?? 0) : 0;
      });
      quads.push({
        rho: samples.reduce<number>((rho, value, at) => rho | (value === 0 ? 0 : 1 << at), 0),
        exponents: four((sample) => exponentOf(samples[sample] ?? 0)),
        values: four((sample) => signedOf(samples[sample] ?? 0)),
      });
    }
  return quads;
};

const four = (of: (sample: number) => number): Four => [of(0), of(1), of(2), of(3)];

const exponentOf = (value: number): number =>
  value === 0 ? 0 : 32 - Math.clz32(2 * Math.abs(value) - 1);

const signedOf = (value: number): number => 2 * (Math.abs(value) - 1) + (value < 0 ? 1 : 0);

const table = expandCodewords();

const choices = (
  first: boolean,
  { quad, context, bound, offset }: Written,
): { readonly pattern: number; readonly entry: number }[] => {
  const set = ((first ? 0 : 8) + context) * 128;
  const largest = quad.exponents.reduce(
    (bits, exponent, index) => bits | (exponent === bound ? 1 << index : 0),
    0,
  );
  const found: { pattern: number; entry: number }[] = [];
  for (let pattern = 0; pattern < 128; pattern++) {
    const entry = table[set + pattern] ?? 0;
    const [known, ones] = [(entry >> 12) & 15, (entry >> 8) & 15];
    const fits =
      pattern >> (entry & 7) === 0 &&
      ((entry >> 4) & 15) === quad.rho &&
      bit(entry, 3) === (offset > 0 ? 1 : 0) &&
      (largest & known) === ones;
    if (fits) found.push({ pattern, entry });
  }
  return found;
};

const writeOffsets = (
  written: readonly Written[],
  { first, runs, codewords }: { first: boolean; runs: Runs; codewords: Backward },
): void => {
  const offsets = written.map(({ offset }) => offset);
  let less = 0;
  const both = offsets.length === 2 && offsets.every((offset) => offset > 0);
  if (first && both) {
    const large = offsets.every((offset) => offset > 2);
    runs.event(large ? 1 : 0);
    if (large) less = 2;
    else if ((offsets[0] ?? 0) > 2) {
      const [code] = codeOf(offsets[0] ?? 0);
      codewords.put(code.prefix, code.prefixBits);
      codewords.put((offsets[1] ?? 0) - 1, 1);
      codewords.put(code.suffix, code.suffixBits);
      codewords.put(code.more, code.moreBits);
      return;
    }
  }
  const codes = offsets.flatMap((offset) => (offset > 0 ? codeOf(offset - less) : []));
  for (const { prefix, prefixBits } of codes) codewords.put(prefix, prefixBits);
  for (const { suffix, suffixBits } of codes) codewords.put(suffix, suffixBits);
  for (const { more, moreBits } of codes) codewords.put(more, moreBits);
};

interface OffsetCode {
  readonly prefix: number;
  readonly prefixBits: number;
  readonly suffix: number;
  readonly suffixBits: number;
  readonly more: number;
  readonly moreBits: number;
}

const codeOf = (offset: number): [OffsetCode] => {
  const plain = { suffix: 0, suffixBits: 0, more: 0, moreBits: 0 };
  if (offset === 1) return [{ ...plain, prefix: 1, prefixBits: 1 }];
  if (offset === 2) return [{ ...plain, prefix: 2, prefixBits: 2 }];
  if (offset <= 4)
    return [{ ...plain, prefix: 4, prefixBits: 3, suffix: offset - 3, suffixBits: 1 }];
  const rest = offset - 5;
  const more = rest < 28 ? 0 : (rest - 28) >> 2;
  const suffix = rest - 4 * more;
  return [{ prefix: 0, prefixBits: 3, suffix, suffixBits: 5, more, moreBits: rest < 28 ? 0 : 4 }];
};

/** Bits from the lowest on; after a byte of ones, the highest bit of the next stays 0. */
class Forward {
  readonly #bytes: number[] = [];
  #byte = 0;
  #bits = 0;
  #max = 8;

  put(value: number, count: number): void {
    for (let index = 0; index < count; index++) {
      this.#byte |= bit(value, index) << this.#bits++;
      if (this.#bits === this.#max) this.#push();
    }
  }

  end(): number[] {
    if (this.#bits > 0) this.put(0xff, this.#max - this.#bits);
    // Missing bits are read as ones.
    while (this.#bytes.at(-1) === 0xff) this.#bytes.pop();
    return this.#bytes;
  }

  #push(): void {
    this.#bytes.push(this.#byte);
    this.#max = this.#byte === 0xff ? 7 : 8;
    this.#byte = 0;
    this.#bits = 0;
  }
}

/** The bytes of the VLC code, to be read backwards. */
class Backward {
  readonly #bytes: number[] = [];
  #byte = 0x0f;
  #bits = 4;
  #last = 0xff;

  put(value: number, count: number): void {
    for (let index = 0; index < count; index++) {
      this.#byte |= bit(value, index) << this.#bits++;
      if (this.#last > 0x8f && this.#byte === 0x7f) this.#bits++;
      if (this.#bits >= 8) {
        this.#bytes.push(this.#byte);
        this.#last = this.#byte;
        this.#byte = 0;
        this.#bits = 0;
      }
    }
  }

  end(): number[] {
    this.#bytes.push(this.#byte);
    return this.#bytes.reverse();
  }
}

const exponents = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5];

/** The adaptive run-length code. */
class Runs {
  readonly #bytes: number[] = [];
  #byte = 0;
  #left = 8;
  #state = 0;
  #zeros = 0;

  event(one: number): void {
    const exponent = exponents[this.#state] ?? 0;
    if (one === 0) {
      if (++this.#zeros < 2 ** exponent) return;
      this.#put(1);
      this.#zeros = 0;
      this.#state = Math.min(12, this.#state + 1);
      return;
    }
    this.#put(0);
    for (let index = exponent - 1; index >= 0; index--) this.#put(bit(this.#zeros, index));
    this.#zeros = 0;
    this.#state = Math.max(0, this.#state - 1);
  }

  end(): number[] {
    if (this.#zeros > 0) this.#put(1);
    this.#bytes.push(this.#byte);
    return this.#bytes;
  }

  #put(value: number): void {
    this.#byte |= value << --this.#left;
    if (this.#left > 0) return;
    this.#bytes.push(this.#byte);
    this.#left = this.#byte === 0xff ? 7 : 8;
    this.#byte = 0;
  }
}

const joined = (magnitudes: readonly number[], rest: readonly number[]): Uint8Array => {
  const bytes = Uint8Array.from([...magnitudes, ...rest, 0]);
  const shared = rest.length + 1;
  bytes[bytes.length - 1] = shared >> 4;
  bytes[bytes.length - 2] = ((bytes[bytes.length - 2] ?? 0) & 0xf0) | (shared & 15);
  return bytes;
};
