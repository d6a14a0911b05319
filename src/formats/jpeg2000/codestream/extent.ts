import { damaged } from "../../containers/index.ts";
import type { CodestreamHeader } from "./contract.ts";
import { cellsOf, dividedUp, halvedUp, tileBox } from "./grid.ts";
import type { Coding } from "./parameters.ts";

/**
 * Refuses codestreams that are cut into far more parts than any image is: each costs some work,
 * however little it shows. Goes by what the main header says; `length` is that of the codestream,
 * in bytes.
 */
export const checkExtent = (
  header: CodestreamHeader,
  codings: readonly Coding[],
  length: number,
): void => {
  checkTiles(header);
  const { image, layers } = header;
  const packets = precinctsOf(header, codings) * layers;
  const pixels = image.width * image.height;
  if (
    packets > fewPackets &&
    packets * bytesPerPacket > length &&
    packets * pixelsPerPacket > pixels
  )
    damaged(`at most ${fewPackets} packets, or fewer for its size than ${packets},`);
};

/**
 * Tiles beyond these have to be large: no more of them than a few times the pixels that each has.
 */
const fewTiles = 4_096;
const tilesPerPixel = 4;

const checkTiles = ({ tiles, columns, rows, image }: CodestreamHeader): void => {
  const count = columns * rows;
  const pixels = Math.min(tiles.width, image.width) * Math.min(tiles.height, image.height);
  const max = Math.max(fewTiles, pixels * tilesPerPixel);
  if (count > max)
    damaged(`at most ${max} tiles of ${tiles.width} x ${tiles.height} pixels and not ${count}`);
};

/**
 * So many are no trouble. Images have a packet for every 12 bytes or more, but for empty ones,
 * and for every 50 pixels, but for tiny ones.
 */
const fewPackets = 65_536;
const bytesPerPacket = 4;
const pixelsPerPacket = 64;

/**
 * Precincts of all resolutions of all components of all tiles, if they are as in the tile in the
 * middle.
 */
const precinctsOf = (header: CodestreamHeader, codings: readonly Coding[]): number => {
  const { columns, rows, components } = header;
  const middle = (rows >> 1) * columns + (columns >> 1);
  const box = tileBox(header, middle);
  let precincts = 0;
  for (const [component, { dx, dy }] of components.entries()) {
    const coding = codings[component];
    const own = dividedUp(box, dx, dy);
    for (const [level, { width, height }] of (coding?.precincts ?? []).entries()) {
      const at = halvedUp(own, (coding?.levels ?? 0) - level);
      const cells = cellsOf(at, width, height);
      precincts += cells.columns * cells.rows;
    }
  }
  return precincts * columns * rows;
};
