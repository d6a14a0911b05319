import { damaged } from "../../containers/index.ts";
import type { Progression } from "./contract.ts";
import type { Resolution, TileGrid } from "./grid.ts";
import type { ProgressionChange } from "./parameters.ts";

/** A packet: a resolution, one of its precincts (row by row), and a layer. */
export interface Packet {
  readonly resolution: Resolution;
  readonly precinct: number;
  readonly layer: number;
}

/** The inputs for the order of a tile's packets. */
export interface Order {
  readonly grid: TileGrid;
  /** Sampling steps of the components. */
  readonly steps: readonly { readonly dx: number; readonly dy: number }[];
  readonly layers: number;
  readonly progression: Progression;
  readonly changes: readonly ProgressionChange[];
}

/**
 * The packets of a tile in stored order (ISO/IEC 15444-1, B.12). Precincts that do not exist have
 * none. Ends early where progression changes repeat packets over and over.
 */
export const packetsInOrder = function* (order: Order): Generator<Packet> {
  if (order.changes.length === 0) {
    yield* packetsOf(order, wholeOf(order));
    return;
  }
  // The layers of each precinct so far are the first ones.
  const come = new Map<Resolution, Uint16Array>();
  let again = 0;
  for (const change of order.changes)
    for (const packet of packetsOf(order, change)) {
      const layers = layersCome(come, packet.resolution);
      if (packet.layer < (layers[packet.precinct] ?? 0)) {
        if (++again > maxAgain) return;
        continue;
      }
      layers[packet.precinct] = packet.layer + 1;
      yield packet;
    }
};

/** Maximum ratio of repetitions: files not made to waste time rarely name a packet twice. */
const maxAgain = 4_000_000;

const layersCome = (come: Map<Resolution, Uint16Array>, resolution: Resolution): Uint16Array => {
  const known = come.get(resolution);
  if (known !== undefined) return known;
  const made = new Uint16Array(precinctsOf(resolution));
  come.set(resolution, made);
  return made;
};

const precinctsOf = ({ precincts }: Resolution): number => precincts.columns * precincts.rows;

const wholeOf = ({ grid, layers, progression }: Order): ProgressionChange => ({
  resolutions: [0, 33],
  components: [0, grid.components.length],
  layers,
  progression,
});

const packetsOf = (order: Order, change: ProgressionChange): Generator<Packet> => {
  const layers = Math.min(order.layers, change.layers);
  const all = resolutionsOf(order, change);
  switch (change.progression) {
    case "LRCP":
      return byLayer(byLevel(all), layers);
    case "RLCP":
      return each(byLevel(all), (level) => byLayer([level], layers));
    case "RPCL":
      return each(byLevel(all), (level) => byPosition(order, level, layers));
    case "PCRL":
      return byPosition(order, all, layers);
    case "CPRL":
      return each(byComponent(all), (component) => byPosition(order, component, layers));
  }
};

const each = function* (
  groups: readonly Resolution[][],
  packets: (group: readonly Resolution[]) => Generator<Packet>,
): Generator<Packet> {
  for (const group of groups) yield* packets(group);
};

const byLayer = function* (
  levels: readonly (readonly Resolution[])[],
  layers: number,
): Generator<Packet> {
  for (let layer = 0; layer < layers; layer++)
    for (const level of levels)
      for (const resolution of level) yield* packetsOfLayer(resolution, layer);
};

/** Non-empty ones, component by component, lowest first. */
const resolutionsOf = ({ grid }: Order, change: ProgressionChange): Resolution[] =>
  grid.components
    .slice(...change.components)
    .flatMap(({ resolutions }) => resolutions.slice(...change.resolutions))
    .filter((resolution) => precinctsOf(resolution) > 0);

const grouped = (
  all: readonly Resolution[],
  by: (resolution: Resolution) => number,
): Resolution[][] => {
  const groups = new Map<number, Resolution[]>();
  for (const resolution of all) {
    const group = groups.get(by(resolution));
    if (group === undefined) groups.set(by(resolution), [resolution]);
    else group.push(resolution);
  }
  return [...groups].sort(([one], [other]) => one - other).map(([, group]) => group);
};

const byLevel = (all: readonly Resolution[]) => grouped(all, ({ level }) => level);
const byComponent = (all: readonly Resolution[]) => grouped(all, ({ component }) => component);

const packetsOfLayer = function* (resolution: Resolution, layer: number): Generator<Packet> {
  const precincts = precinctsOf(resolution);
  for (let precinct = 0; precinct < precincts; precinct++) yield { resolution, precinct, layer };
};

/** Rows of precincts by position, then within the row; then component, resolution, layer. */
const byPosition = function* (
  order: Order,
  resolutions: readonly Resolution[],
  layers: number,
): Generator<Packet> {
  const lines = resolutions.reduce(
    (sum, { precincts: { columns, rows } }) => sum + columns + rows,
    0,
  );
  if (lines > maxLines) damaged(`at most ${maxLines} rows and columns of precincts`);
  const rows = resolutions.flatMap((resolution) =>
    places(order, resolution, "down").map((place, row) => ({ resolution, place, row })),
  );
  // Sorting is stable: by component, then by resolution at the same position.
  rows.sort((one, other) => one.place - other.place);
  const columns = new Map(
    resolutions.map((resolution) => [resolution, places(order, resolution, "across")] as const),
  );
  for (let from = 0; from < rows.length; ) {
    let to = from + 1;
    while (to < rows.length && rows[to]?.place === rows[from]?.place) to++;
    const precincts = rows.slice(from, to).flatMap(({ resolution, row }) =>
      (columns.get(resolution) ?? []).map((place, column) => ({
        resolution,
        place,
        precinct: row * resolution.precincts.columns + column,
      })),
    );
    precincts.sort((one, other) => one.place - other.place);
    for (const { resolution, precinct } of precincts)
      for (let layer = 0; layer < layers; layer++) yield { resolution, precinct, layer };
    from = to;
  }
};

/** Maximum number: a tile of 65,535 x 65,535 RGB with precincts of 128 x 128 has 6,000. */
const maxLines = 2 ** 19;

/**
 * The positions on the reference grid at which columns or rows of precincts come up, per B.12.1.3
 * to B.12.1.5.
 */
const places = (
  { grid, steps }: Order,
  { component, level, box, precincts, ...exponents }: Resolution,
  way: "across" | "down",
): number[] => {
  const across = way === "across";
  const step = across ? (steps[component]?.dx ?? 1) : (steps[component]?.dy ?? 1);
  const levels = (grid.components[component]?.resolutions.length ?? 1) - 1 - level;
  const exponent = across ? exponents.precinctWidth : exponents.precinctHeight;
  const side = step * 2 ** (exponent + levels);
  const begin = across ? box.x0 : box.y0;
  const first = across ? precincts.x : precincts.y;
  const start = across ? grid.box.x0 : grid.box.y0;
  const count = across ? precincts.columns : precincts.rows;
  return Array.from({ length: count }, (_, index) =>
    // The first one may start before the tile, and then comes up with the tile's first sample.
    index === 0 && begin % 2 ** exponent !== 0 ? start : (first + index) * side,
  );
};
