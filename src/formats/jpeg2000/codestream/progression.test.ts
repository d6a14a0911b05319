import { describe, expect, test } from "vitest";
import { type Random, random } from "../../../../test/random.ts";
import type { CodestreamHeader, Progression } from "./contract.ts";
import { type TileGrid, tileGrid } from "./grid.ts";
import type { ComponentParameters } from "./parameters.ts";
import { type Order, packetsInOrder } from "./progression.ts";

/** An image whose tiles and precincts begin anywhere, with few enough samples to iterate all. */
const pictureOf = (from: Random) => {
  const tiles = { x: from.whole(0, 9), y: from.whole(0, 9), width: 0, height: 0 };
  tiles.width = from.whole(20, 60);
  tiles.height = from.whole(20, 60);
  const image = {
    x: from.whole(tiles.x, tiles.x + 15),
    y: from.whole(tiles.y, tiles.y + 15),
    width: from.whole(20, 100),
    height: from.whole(20, 100),
  };
  const columns = Math.ceil((image.x + image.width - tiles.x) / tiles.width);
  const rows = Math.ceil((image.y + image.height - tiles.y) / tiles.height);
  const components = Array.from({ length: from.whole(1, 3) }, () => ({
    precision: 8,
    signed: false,
    dx: from.one([1, 1, 2, 3]),
    dy: from.one([1, 1, 2, 3]),
  }));
  const parameters = components.map((): ComponentParameters => {
    const levels = from.whole(0, 3);
    const precincts = Array.from({ length: levels + 1 }, () => ({
      width: from.one([2, 3, 4, 5, 15]),
      height: from.one([2, 3, 4, 5, 15]),
    }));
    const steps = Array.from({ length: 3 * levels + 1 }, () => ({ exponent: 8, mantissa: 0 }));
    const sides = { blockWidth: 4, blockHeight: 4 };
    return {
      coding: { levels, ...sides, style: 0, reversible: true, precincts },
      quantization: { style: "none", guardBits: 2, steps },
      shift: 0,
    };
  });
  const header = { image, tiles, columns, rows, components } as unknown as CodestreamHeader;
  const grid = tileGrid(
    header,
    from.whole(0, columns * rows - 1),
    (component) => parameters[component] ?? expect.unreachable(),
  );
  return { grid, steps: components, layers: from.whole(1, 2) };
};

type Packet = readonly [component: number, resolution: number, precinct: number, layer: number];

/** The loops of B.12.1, and their body. */
interface Execution {
  readonly layers: readonly number[];
  readonly levels: readonly number[];
  readonly components: readonly number[];
  /** Calls back for every sample of the tile on the reference grid. */
  places(then: (y: number, x: number) => void): void;
  /** All precincts of a resolution in one layer. */
  whole(component: number, level: number, layer: number): void;
  /** "For the next precinct, k, if one exists", where one begins at this sample. */
  at(y: number, x: number, component: number, level: number): void;
}

/** The loops of B.12.1, verbatim. */
const loops: Readonly<Record<Progression, (walk: Execution) => void>> = {
  LRCP({ layers, levels, components, whole }) {
    for (const layer of layers)
      for (const level of levels)
        for (const component of components) whole(component, level, layer);
  },
  RLCP({ layers, levels, components, whole }) {
    for (const level of levels)
      for (const layer of layers)
        for (const component of components) whole(component, level, layer);
  },
  RPCL({ levels, components, places, at }) {
    for (const level of levels)
      places((y, x) => {
        for (const component of components) at(y, x, component, level);
      });
  },
  PCRL({ levels, components, places, at }) {
    places((y, x) => {
      for (const component of components) for (const level of levels) at(y, x, component, level);
    });
  },
  CPRL({ levels, components, places, at }) {
    for (const component of components)
      places((y, x) => {
        for (const level of levels) at(y, x, component, level);
      });
  },
};

const byTheBook = (
  { grid, steps, layers }: Pick<Order, "grid" | "steps" | "layers">,
  progression: Progression,
): Packet[] => {
  const packets: Packet[] = [];
  const { box } = grid;
  const max = Math.max(...grid.components.map(({ resolutions }) => resolutions.length));
  const next = new Map<string, number>();
  const existing = (component: number, level: number): number => {
    const resolution = grid.components[component]?.resolutions[level];
    return resolution ? resolution.precincts.columns * resolution.precincts.rows : 0;
  };
  loops[progression]({
    layers: keys(layers),
    levels: keys(max),
    components: keys(grid.components.length),
    places(then) {
      for (let y = box.y0; y < box.y1; y++) for (let x = box.x0; x < box.x1; x++) then(y, x);
    },
    whole(component, level, layer) {
      for (const precinct of keys(existing(component, level)))
        packets.push([component, level, precinct, layer]);
    },
    at(y, x, component, level) {
      if (!begins(grid, steps, { component, level, x, y })) return;
      const key = `${component} ${level}`;
      const precinct = next.get(key) ?? 0;
      if (precinct >= existing(component, level)) return;
      next.set(key, precinct + 1);
      for (const layer of keys(layers)) packets.push([component, level, precinct, layer]);
    },
  });
  return packets;
};

const keys = (length: number): number[] => [...Array(length).keys()];

interface Place {
  readonly component: number;
  readonly level: number;
  readonly x: number;
  readonly y: number;
}

/** The two conditions of B.12.1.3 to B.12.1.5, vertically and horizontally. */
const begins = (grid: TileGrid, steps: Order["steps"], { component, level, x, y }: Place) => {
  const { resolutions } = grid.components[component] ?? expect.unreachable();
  const resolution = resolutions[level];
  if (resolution === undefined) return false;
  const { dx = 1, dy = 1 } = steps[component] ?? {};
  const scale = 2 ** (resolutions.length - 1 - level);
  const isAt = (
    place: number,
    { start, step, first, side }: { start: number; step: number; first: number; side: number },
  ): boolean =>
    place % (step * side * scale) === 0 ||
    (place === start && (first * scale) % (side * scale) !== 0);
  const { box, precinctWidth, precinctHeight } = resolution;
  const down = { start: grid.box.y0, step: dy, first: box.y0, side: 2 ** precinctHeight };
  const across = { start: grid.box.x0, step: dx, first: box.x0, side: 2 ** precinctWidth };
  return isAt(y, down) && isAt(x, across);
};

describe.each(["LRCP", "RLCP", "RPCL", "PCRL", "CPRL"] as const)("%s", (progression) => {
  test("has packets in the order of the loops in B.12.1, wherever tiles and precincts start", () => {
    const from = random(15_444);
    for (let round = 0; round < 60; round++) {
      const picture = pictureOf(from);
      const ours = [...packetsInOrder({ ...picture, progression, changes: [] })].map(
        ({ resolution: { component, level }, precinct, layer }): Packet => [
          component,
          level,
          precinct,
          layer,
        ],
      );
      expect(ours).toEqual(byTheBook(picture, progression));
    }
  });
});
