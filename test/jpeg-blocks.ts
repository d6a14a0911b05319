import type { Random } from "./random.ts";

/** A component of a JPEG made of blocks. */
export interface BlockComponent {
  /** Sampling factors. */
  readonly h: number;
  readonly v: number;
  /** 64 numbers in zigzag order. */
  readonly quantisation: readonly number[];
}

/** A JPEG made of blocks of coefficients. */
export interface BlockJpeg {
  readonly width: number;
  readonly height: number;
  readonly components: readonly BlockComponent[];
  /** Units between restart markers; 0: none. */
  readonly restartInterval: number;
}

/** Of each component, its blocks: rows of blocks of 64 coefficients in zigzag order. */
export type Blocks = readonly (readonly (readonly (readonly number[])[])[])[];

/** Random blocks: mostly small coefficients at low frequencies, and some of any kind. */
export const randomBlocks = (jpeg: BlockJpeg, dice: Random): Blocks =>
  jpeg.components.map((component) => {
    const { across, down } = blocksOf(jpeg, component);
    return Array.from({ length: down }, () =>
      Array.from({ length: across }, () => randomBlock(component, dice)),
    );
  });

const randomBlock = ({ quantisation }: BlockComponent, dice: Random): number[] => {
  const kind = dice.whole(0, 9);
  const used = kind === 0 ? 1 : kind === 1 ? 64 : dice.whole(2, 40);
  return Array.from({ length: 64 }, (_, index) => {
    if (index >= used || (index > 0 && dice.whole(0, 2) > 0)) return 0;
    // Together, they stay within what 8 bits can show.
    const most = index === 0 ? 700 : 160 / (1 + index / 4);
    const limit = Math.floor(most / (quantisation[index] ?? 1));
    return limit < 1 ? 0 : dice.whole(-limit, limit);
  });
};

/** The numbers of blocks, whole units of them. */
export const blocksOf = (
  { width, height, components }: BlockJpeg,
  { h, v }: Pick<BlockComponent, "h" | "v">,
): { readonly across: number; readonly down: number } => {
  const isSingle = components.length === 1;
  const maxH = isSingle ? 1 : Math.max(...components.map((one) => one.h));
  const maxV = isSingle ? 1 : Math.max(...components.map((one) => one.v));
  return {
    across: Math.ceil(width / (8 * maxH)) * (isSingle ? 1 : h),
    down: Math.ceil(height / (8 * maxV)) * (isSingle ? 1 : v),
  };
};

/** A baseline JPEG in JFIF (ITU-T T.81, annex F), whose Huffman tables have codes of all lengths. */
export const encodeBlocks = (jpeg: BlockJpeg, blocks: Blocks): Buffer => {
  const { width, height, components, restartInterval } = jpeg;
  const dc = table(Array.from({ length: 12 }, (_, size) => size));
  const ac = table([0, 0xf0, ...sizes.flatMap((size) => runs.map((run) => run * 16 + size))]);
  const word = (value: number): number[] => [value >> 8, value & 255];
  const segment = (marker: number, ...content: number[]): number[] => [
    ...[0xff, marker],
    ...word(content.length + 2),
    ...content,
  ];
  const isWide = (numbers: readonly number[]): boolean => numbers.some((one) => one > 255);
  const head = [
    ...[0xff, 0xd8],
    ...segment(0xe0, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 1, 0, 150, 0, 150, 0, 0),
    ...components.flatMap(({ quantisation }, id) =>
      segment(
        0xdb,
        (isWide(quantisation) ? 16 : 0) + id,
        ...(isWide(quantisation) ? quantisation.flatMap(word) : quantisation),
      ),
    ),
    ...segment(
      isBaseline(components) ? 0xc0 : 0xc1,
      ...[8, ...word(height), ...word(width), components.length],
      ...components.flatMap(({ h, v }, id) => [id + 1, h * 16 + v, id]),
    ),
    ...segment(0xc4, 0, ...dc.definition),
    ...segment(0xc4, 0x10, ...ac.definition),
    ...(restartInterval > 0 ? segment(0xdd, ...word(restartInterval)) : []),
    ...segment(
      0xda,
      ...[components.length, ...components.flatMap((_, id) => [id + 1, 0])],
      ...[0, 63, 0],
    ),
  ];
  return Buffer.concat([
    Buffer.from(head),
    scanOf(jpeg, blocks, { dc, ac }),
    Buffer.of(0xff, 0xd9),
  ]);
};

const isBaseline = (components: readonly BlockComponent[]): boolean =>
  components.every(({ quantisation }) => quantisation.every((one) => one < 256));

const sizes = Array.from({ length: 10 }, (_, n) => n + 1);
const runs = Array.from({ length: 16 }, (_, n) => n);

interface Table {
  readonly definition: readonly number[];
  /** The bits of a symbol's code. */
  readonly codes: ReadonlyMap<number, string>;
}

/** One or two symbols for each length up to 8, and the others in 16 bits. */
const table = (symbols: readonly number[]): Table => {
  const codes = new Map<number, string>();
  const counts = Array.from({ length: 16 }, () => 0);
  const left = [...symbols];
  let code = 0;
  for (let length = 1; length <= 16; length++) {
    const count =
      length === 16 ? left.length : length > 1 && length <= 8 ? Math.min(1, left.length) : 0;
    counts[length - 1] = count;
    for (const symbol of left.splice(0, count))
      codes.set(symbol, (code++).toString(2).padStart(length, "0"));
    code *= 2;
  }
  return { definition: [...counts, ...symbols], codes };
};

const scanOf = (
  jpeg: BlockJpeg,
  blocks: Blocks,
  tables: { readonly dc: Table; readonly ac: Table },
): Buffer => {
  const { components, restartInterval } = jpeg;
  const isSingle = components.length === 1;
  const units = components.map((component) => {
    const { across, down } = blocksOf(jpeg, component);
    const [h, v] = isSingle ? [1, 1] : [component.h, component.v];
    return { h, v, across: across / h, down: down / v };
  });
  const { across = 0, down = 0 } = units[0] ?? {};
  const parts: Buffer[] = [];
  let bits = "";
  let predictions = components.map(() => 0);
  for (let unit = 0; unit < across * down; unit++) {
    if (restartInterval > 0 && unit > 0 && unit % restartInterval === 0) {
      parts.push(stuffed(bits), Buffer.of(0xff, 0xd0 + ((unit / restartInterval - 1) % 8)));
      bits = "";
      predictions = components.map(() => 0);
    }
    for (const [index, { h, v }] of units.entries())
      for (let n = 0; n < h * v; n++) {
        const x = (unit % across) * h + (n % h);
        const y = Math.floor(unit / across) * v + Math.floor(n / h);
        const block = blocks[index]?.[y]?.[x] ?? [];
        bits += bitsOf(block, predictions[index] ?? 0, tables);
        predictions[index] = block[0] ?? 0;
      }
  }
  return Buffer.concat([...parts, stuffed(bits)]);
};

/** Bits as bytes, filled up with ones, and a zero after each byte 255. */
const stuffed = (bits: string): Buffer => {
  const whole = bits.padEnd(Math.ceil(bits.length / 8) * 8, "1");
  const bytes: number[] = [];
  for (let at = 0; at < whole.length; at += 8) {
    const byte = Number.parseInt(whole.slice(at, at + 8), 2);
    bytes.push(byte, ...(byte === 255 ? [0] : []));
  }
  return Buffer.from(bytes);
};

const bitsOf = (
  [flat = 0, ...others]: readonly number[],
  prediction: number,
  { dc, ac }: { readonly dc: Table; readonly ac: Table },
): string => {
  const difference = flat - prediction;
  let bits = (dc.codes.get(sizeOf(difference)) ?? "") + valueBits(difference);
  let run = 0;
  const last = others.findLastIndex((value) => value !== 0);
  for (const value of others.slice(0, last + 1)) {
    if (value === 0) {
      run++;
      continue;
    }
    for (; run > 15; run -= 16) bits += ac.codes.get(0xf0);
    bits += (ac.codes.get(run * 16 + sizeOf(value)) ?? "") + valueBits(value);
    run = 0;
  }
  return last < 62 ? bits + ac.codes.get(0) : bits;
};

const sizeOf = (value: number): number => (value === 0 ? 0 : Math.abs(value).toString(2).length);

const valueBits = (value: number): string => {
  const size = sizeOf(value);
  if (size === 0) return "";
  return (value > 0 ? value : value + 2 ** size - 1).toString(2).padStart(size, "0");
};
