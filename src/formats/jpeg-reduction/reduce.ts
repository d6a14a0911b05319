import type { SequentialScan } from "../containers/index.ts";
import { ScanInput, type Supply } from "./input.ts";
import type { JpegKernel } from "./kernel.ts";
import { KernelMemory } from "./kernel-memory.ts";
import { layoutOf, type ReducedImage } from "./layout.ts";
import { descriptionBytes, placePlane } from "./plane.ts";

/** A scan, and the bytes from its beginning on. */
export interface ScanToReduce {
  readonly scan: SequentialScan;
  readonly supply: Supply;
  /** Takes the rows of the reduced image, grey or RGB of 8 bits, in memory that is used again. */
  readonly put: (row: number, pixels: Uint8Array) => void;
}

/**
 * Decodes a JPEG reduced: of each block only the lowest frequencies, and nothing of the others but
 * how long they are. Throws where the data is corrupt or incomplete.
 */
export const reduceJpeg = (
  kernel: JpegKernel,
  { scan, supply, put }: ScanToReduce,
  wanted: ReducedImage,
): void => {
  const layout = layoutOf(scan, wanted);
  const { width, height } = layout.size;
  const channels = layout.planes.length;
  const memory = new KernelMemory(kernel);
  const planes = layout.planes.map((plane) => placePlane(plane, { kernel, memory, layout }));
  const descriptions = memory.take(planes.length * descriptionBytes);
  const output = memory.take(width * channels);
  const maxRow = layout.units * layout.blocks * maxBlockBytes;
  const input = new ScanInput(kernel, { from: memory.take(0), length: maxRow + readBytes, supply });

  const draw = (row: number): void => {
    const [luma = 0, blue = 0, red = 0] = planes.map((plane) => plane.rowAt(row));
    if (channels === 3) kernel.colour(output, luma, blue, red, width);
    else kernel.grey(output, luma, width);
    put(row, memory.bytes(output, width * channels));
  };
  let drawn = 0;
  kernel.begin(scan.restartInterval);
  for (let row = 0; row < layout.rows; row++) {
    input.need(maxRow);
    for (const [index, plane] of planes.entries())
      plane.describe(descriptions + index * descriptionBytes, row);
    if (kernel.decodeRow(descriptions, planes.length, layout.units) === 0)
      throw new Error(`the data of row ${row} is corrupt or incomplete`);
    for (const plane of planes) plane.finishUnits(row);
    const isLast = row === layout.rows - 1;
    const isReady = (): boolean => isLast || planes.every((plane) => plane.has(drawn, row + 1));
    for (; drawn < height && isReady(); drawn++) draw(drawn);
  }
  if (!input.isAtEnd()) throw new Error("the image does not end after its last block");
};

/** Bytes that a block may have at most: 63 coefficients of 26 bits, each byte with a stuffed one. */
const maxBlockBytes = 448;
/** Bytes read at once, besides those that a row of units may have. */
const readBytes = 1_048_576;
