import type { HeaderBits } from "./header-bits.ts";

/** The layout of a tag tree's nodes: level after level, leaves first. */
interface TreeShape {
  readonly nodes: number;
  /** For each level, the index of its first node, and the length of its rows. */
  readonly starts: readonly number[];
  readonly widths: readonly number[];
}

/** The shapes of trees; most of a tile are the same. */
export class TreeShapes {
  readonly #shapes = new Map<number, TreeShape>();

  /** Of a tree with so many leaves across and down, 1,024 at most. */
  of(width: number, height: number): TreeShape {
    const key = width * 65_536 + height;
    let shape = this.#shapes.get(key);
    if (shape === undefined) {
      shape = shapeOf(width, height);
      if (this.#shapes.size < maxShapes) this.#shapes.set(key, shape);
    }
    return shape;
  }
}

const maxShapes = 1_024;

const shapeOf = (width: number, height: number): TreeShape => {
  const starts: number[] = [];
  const widths: number[] = [];
  let nodes = 0;
  for (let [w, h] = [width, height]; ; [w, h] = [(w + 1) >> 1, (h + 1) >> 1]) {
    starts.push(nodes);
    widths.push(w);
    nodes += w * h;
    if (w * h <= 1) return { nodes, starts, widths };
  }
};

/** A tag tree of a precinct's blocks in one band (ISO/IEC 15444-1, B.10.2). */
export class TagTree {
  readonly #shape: TreeShape;
  /** Lower bound of each node's value; where the value is known, -1 minus it. */
  readonly #nodes: Int32Array;

  /** On nodes that are 0 initially. */
  constructor(shape: TreeShape, nodes: Int32Array) {
    this.#shape = shape;
    this.#nodes = nodes;
  }

  /** Reads until it is known whether the value at a position is less than `bound`. */
  isBelow(bits: HeaderBits, x: number, y: number, bound: number): boolean {
    return this.#read(bits, x, y, bound) < bound;
  }

  /** Reads the value at a position; `max` + 1 where it is more than that. */
  value(bits: HeaderBits, x: number, y: number, max: number): number {
    return this.#read(bits, x, y, max + 1);
  }

  /** The value, or `bound` where it is not less. */
  #read(bits: HeaderBits, x: number, y: number, bound: number): number {
    const { starts, widths } = this.#shape;
    const nodes = this.#nodes;
    let low = 0;
    for (let level = starts.length - 1; level >= 0; level--) {
      const node = (starts[level] ?? 0) + (y >> level) * (widths[level] ?? 0) + (x >> level);
      const value = nodes[node] ?? 0;
      if (value < 0) {
        low = -1 - value;
        continue;
      }
      low = Math.max(low, value);
      let isKnown = false;
      while (low < bound && !isKnown)
        if (bits.bit() === 1) isKnown = true;
        else low++;
      nodes[node] = isKnown ? -1 - low : low;
    }
    return Math.min(low, bound);
  }
}
