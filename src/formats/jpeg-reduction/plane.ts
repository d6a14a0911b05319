import type { Taps } from "../shared/index.ts";
import type { JpegKernel } from "./kernel.ts";
import type { KernelMemory } from "./kernel-memory.ts";
import { type Layout, type PlaneLayout, tapMultiple } from "./layout.ts";
import { type Transformation, transformationTo } from "./transformation.ts";

/** The size of a component's description in bytes: see `assembly/jpeg/`. */
export const descriptionBytes = 64;

/** What planes share. */
export interface PlaneTools {
  readonly kernel: JpegKernel;
  readonly memory: KernelMemory;
  readonly layout: Layout;
}

/** Rows of samples, and the bytes from one to the next. */
interface Rows {
  readonly at: number;
  readonly stride: number;
}

/** Taps in the kernel's memory, and its room for the addresses of as many rows. */
interface PlacedTaps {
  readonly taps: Taps;
  readonly starts: number;
  readonly weights: number;
  readonly addresses: number;
}

interface PlaneParts {
  readonly layout: PlaneLayout;
  readonly transformation: Transformation;
  /** Addresses of the tables of the transformation, and of Huffman tables. */
  readonly tables: {
    readonly dc: number;
    readonly ac: number;
    readonly contributions: number;
    readonly shifts: number;
  };
  /** Rows of samples that a row of units becomes. */
  readonly unitRows: number;
  readonly kept: Rows & { readonly count: number };
  /** Where rows are decoded that are then scaled across; absent: where they are kept. */
  readonly decoded: Rows | undefined;
  readonly across: PlacedTaps | undefined;
  readonly down: PlacedTaps | undefined;
  /** Where rows are scaled down. */
  readonly made: number;
}

/** Places a component in the kernel's memory; throws where its Huffman tables are corrupt. */
export const placePlane = (layout: PlaneLayout, tools: PlaneTools): Plane => {
  const { kernel, memory } = tools;
  const { component, across, down } = layout;
  const sides = { across: across.side, down: down.side };
  const transformation = transformationTo(sides, component.quantisation);
  const table = (definition: Uint8Array, isDc: number): number => {
    const from = memory.put(definition);
    const at = memory.take(kernel.tableBytes());
    if (kernel.addTable(at, from, isDc) === 0) throw new Error("a Huffman table is corrupt");
    return at;
  };
  const placed = (taps: Taps | undefined): PlacedTaps | undefined =>
    taps && {
      taps,
      starts: memory.put(bytesOf(taps.starts)),
      weights: memory.put(taps.weights),
      addresses: memory.take(4 * taps.count),
    };
  const unitRows = component.v * down.side;
  const decodedStride = 2 * (tools.layout.units * component.h * across.side + margin);
  const stride = across.taps ? 2 * (tools.layout.size.width + margin) : decodedStride;
  const count = Math.ceil(keptRows(layout, tools.layout) / unitRows + 3) * unitRows;
  const parts: PlaneParts = {
    ...{ layout, transformation, unitRows },
    tables: {
      ...{ dc: table(component.dc, 1), ac: table(component.ac, 0) },
      contributions: memory.put(transformation.contributions),
      shifts: memory.put(transformation.shifts),
    },
    kept: { at: memory.take(count * stride), count, stride },
    decoded: across.taps && { at: memory.take(unitRows * decodedStride), stride: decodedStride },
    across: placed(across.taps),
    down: placed(down.taps),
    made: down.taps ? memory.take(stride) : 0,
  };
  return new Plane(parts, tools);
};

/** Rows that a component is scaled from, and those that wait for other components. */
const keptRows = ({ down }: PlaneLayout, { planes }: Layout): number => {
  const pixels = planes.map((plane) => (plane.down.taps?.count ?? 0) / plane.down.step);
  return (down.taps?.count ?? 0) + Math.max(...pixels) * down.step;
};

/** Starts in bytes, and as many more as are read behind them. */
const bytesOf = (starts: Int32Array): Int32Array => {
  const bytes = new Int32Array(starts.length + 4);
  for (const [index, start] of starts.entries()) bytes[index] = 2 * start;
  return bytes;
};

/** Samples behind a row, which are read and written. */
const margin = 4 * tapMultiple;

/** The rows of a component, of which the latest are kept. */
export class Plane {
  readonly #parts: PlaneParts;
  readonly #tools: PlaneTools;

  constructor(parts: PlaneParts, tools: PlaneTools) {
    this.#parts = parts;
    this.#tools = tools;
  }

  /** Describes the component to the kernel, for a row of units. */
  describe(at: number, row: number): void {
    const { layout, transformation, tables, decoded, kept, unitRows } = this.#parts;
    const { component, across, down } = layout;
    const words = this.#tools.memory.words(at, descriptionBytes / 4);
    const to = decoded ?? { at: this.#addressOf(row * unitRows), stride: kept.stride };
    words.set([tables.dc, tables.ac, component.h, component.v, to.at, to.stride]);
    words.set([transformation.last, tables.contributions, tables.shifts, down.side], 6);
    // Between is the last DC coefficient.
    if (row === 0) words[10] = 0;
    words.set([transformation.flat, 2 * across.side], 11);
  }

  /** Scales the rows of a row of units across, where that is needed. */
  finishUnits(row: number): void {
    const { decoded, across, unitRows } = this.#parts;
    if (decoded === undefined || across === undefined) return;
    const { kernel, layout } = this.#tools;
    const { taps, starts, weights } = across;
    const eights = taps.count / tapMultiple;
    for (let n = 0; n < unitRows; n++) {
      const to = this.#addressOf(row * unitRows + n);
      const from = decoded.at + n * decoded.stride;
      kernel.scaleAcross(to, from, layout.size.width, starts, weights, eights);
    }
  }

  /** Whether a row of the image can be made once so many rows of units are finished. */
  has(row: number, units: number): boolean {
    const { down, unitRows } = this.#parts;
    const count = units * unitRows;
    if (down === undefined) return row < count;
    return (down.taps.starts[row] ?? 0) + down.taps.count <= count;
  }

  /** The address of a row of the image. */
  rowAt(row: number): number {
    const { down, made } = this.#parts;
    if (down === undefined) return this.#addressOf(row);
    const { kernel, memory, layout } = this.#tools;
    const { taps, addresses, weights } = down;
    const start = taps.starts[row] ?? 0;
    const rows = memory.words(addresses, taps.count);
    for (let n = 0; n < taps.count; n++) rows[n] = this.#addressOf(start + n);
    const from = weights + 2 * row * taps.count;
    kernel.scaleDown(made, addresses, taps.count / 2, from, layout.size.width);
    return made;
  }

  #addressOf(row: number): number {
    const { at, count, stride } = this.#parts.kept;
    return at + (row % count) * stride;
  }
}
