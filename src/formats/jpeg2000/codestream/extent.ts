import { damaged } from "../../containers/index.ts";
import type { CodestreamHeader } from "./contract.ts";
import { cellsOf, dividedUp, halvedUp, tileBox } from "./grid.ts";
import type { Coding } from "./parameters.ts";

/**
 * Rejects codestreams with far more parts than any real image: each costs some work, however little
 * it shows. Decided by the main header; `length` is that of the codestream, in bytes.
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
 * Beyond this number, tiles have to be large: their number is limited to a few times the pixels of
 * each.
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
 * So many are harmless. Real images have a packet per 12 bytes or more, except for empty ones, and
 * per 50 pixels, except for tiny ones.
 */
const fewPackets = 65_536;
const bytesPerPacket = 4;
const pixelsPerPacket = 64;

/**
 * Number of precincts of all resolutions of all components of all tiles, assuming they are as in
 * the middle tile.
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
