import { damaged } from "../../containers/index.ts";
import type { BlockSamples, CodestreamHeader, Component, RegionWanted } from "./contract.ts";
import { dividedUp, type GridBox, halvedUp, imageBox, isEmpty, shared } from "./grid.ts";

/** The requested part of an image, wherever its bytes come from. */
type RegionAsked = Pick<RegionWanted, "codestream" | "region" | "reduce" | "components">;

/** A requested component, and its samples, as in `Plane`. */
export interface PlaneWanted {
  readonly component: number;
  readonly box: GridBox;
  readonly header: Component;
}

/** The region on the reference grid; throws `unreadable` where it is outside the image. */
export const regionBox = ({ codestream: { header }, region }: RegionAsked): GridBox => {
  const image = imageBox(header);
  const { x0, y0 } = image;
  const box = {
    x0: x0 + region.x,
    y0: y0 + region.y,
    x1: x0 + region.x + region.width,
    y1: y0 + region.y + region.height,
  };
  const inside = shared(box, image);
  const isInside =
    Object.values(box).every(Number.isSafeInteger) &&
    box.x0 === inside.x0 &&
    box.y0 === inside.y0 &&
    box.x1 === inside.x1 &&
    box.y1 === inside.y1;
  return isInside && !isEmpty(box) ? box : damaged("a region within the image");
};

/** The requested part of a component for a box on the reference grid. */
export const ofComponent = (box: GridBox, { dx, dy }: Component, reduce: number): GridBox =>
  halvedUp(dividedUp(box, dx, dy), reduce);

/** Throws `unreadable` where a component does not exist or is requested twice. */
export const planesWanted = (wanted: RegionAsked): PlaneWanted[] => {
  const { codestream, reduce } = wanted;
  const { header } = codestream;
  if (!Number.isInteger(reduce) || reduce < 0 || reduce > header.levels)
    damaged(`0 to ${header.levels} levels to be left out and not ${reduce}`);
  const region = regionBox(wanted);
  const numbers = wanted.components ?? header.components.map((_, component) => component);
  return numbers.map((component) => {
    const own = header.components[component] ?? damaged(`a component ${component}`);
    if (own.precision > 31) damaged("samples of at most 31 bits");
    return { component, box: ofComponent(region, own, reduce), header: own };
  });
};

/** The numbers of the tiles that a box on the reference grid touches, row by row. */
export const tilesIn = function* (
  { tiles, columns, rows }: CodestreamHeader,
  { x0, y0, x1, y1 }: GridBox,
): Generator<number> {
  const left = Math.floor((x0 - tiles.x) / tiles.width);
  const right = Math.min(columns, Math.ceil((x1 - tiles.x) / tiles.width));
  const top = Math.floor((y0 - tiles.y) / tiles.height);
  const bottom = Math.min(rows, Math.ceil((y1 - tiles.y) / tiles.height));
  for (let row = top; row < bottom; row++)
    for (let column = left; column < right; column++) yield row * columns + column;
};

/** Maximum samples of one window, of all its components together. */
const maxSamples = 7_200_000;
/** Windows are split where blocks end at most levels, in samples. */
const cutAt = 256;

/** Splits a box on the reference grid into pieces that are not too large at a reduction. */
export const pieces = function* (
  box: GridBox,
  reduce: number,
  components: number,
): Generator<GridBox> {
  const scale = 2 ** reduce;
  const whole = halvedUp(box, reduce);
  if ((whole.x1 - whole.x0) * (whole.y1 - whole.y0) * components <= maxSamples) {
    yield box;
    return;
  }
  const side = Math.max(1, Math.floor(Math.sqrt(maxSamples / components) / cutAt)) * cutAt * scale;
  const start = (value: number): number => Math.floor(value / side) * side;
  for (let y = start(box.y0); y < box.y1; y += side)
    for (let x = start(box.x0); x < box.x1; x += side)
      yield shared(box, { x0: x, y0: y, x1: x + side, y1: y + side });
};

/** Checks that the input of a window does not exceed a window's limit. */
export const checkWindow = (boxes: readonly GridBox[]): void => {
  const samples = boxes.reduce((sum, { x0, y0, x1, y1 }) => sum + (x1 - x0) * (y1 - y0), 0);
  if (samples > 2 * maxSamples) damaged("tiles with as many levels as the main header says");
};

export const countOf = (box: GridBox): number =>
  isEmpty(box) ? 0 : (box.x1 - box.x0) * (box.y1 - box.y0);

/** Bytes per sample in `Samples`. */
export const sampleBytes = ({ precision, signed }: Component): 1 | 2 | 4 =>
  signed || precision > 16 ? 4 : precision > 8 ? 2 : 1;

export const newSamples = (count: number, component: Component): BlockSamples => {
  const bytes = sampleBytes(component);
  if (bytes === 1) return new Uint8Array(count);
  return bytes === 2 ? new Uint16Array(count) : new Int32Array(count);
};
