import { damaged } from "../../containers/index.ts";
import type { BlockSamples } from "./contract.ts";
import type { GridBox } from "./grid.ts";
import { countOf, newSamples, type PlaneWanted } from "./region.ts";

/** Decoded samples of a part of a plane. */
export interface PieceDecoded {
  readonly box: GridBox;
  readonly samples: BlockSamples;
}

/** Collects decoded parts; missing ones stay 0. */
export class DecodedWindow {
  readonly #planes: readonly PlaneWanted[];
  /** Samples per pixel; more than 1 where all planes are in one array. */
  readonly #interleaved: number;
  readonly #samples: (BlockSamples | undefined)[];

  constructor(planes: readonly PlaneWanted[], interleaved: boolean) {
    this.#planes = planes;
    this.#interleaved = interleaved ? planes.length : 1;
    this.#samples = interleaved ? [undefined] : planes.map(() => undefined);
  }

  /** Adds a part of one of the arrays; takes over its memory. */
  take(array: number, { box, samples }: PieceDecoded): void {
    const plane = this.#plane(array);
    if (countOf(box) === countOf(plane.box)) {
      this.#samples[array] = samples;
      return;
    }
    const target = this.#samples[array] ?? this.#empty(array);
    this.#samples[array] = target;
    const pixel = this.#interleaved;
    const width = (box.x1 - box.x0) * pixel;
    const stride = (plane.box.x1 - plane.box.x0) * pixel;
    let to = (box.y0 - plane.box.y0) * stride + (box.x0 - plane.box.x0) * pixel;
    for (let from = 0; from < samples.length; from += width, to += stride)
      target.set(samples.subarray(from, from + width), to);
  }

  /** One array per plane, or one for all. */
  all(): BlockSamples[] {
    return this.#samples.map((samples, array) => samples ?? this.#empty(array));
  }

  #empty(array: number): BlockSamples {
    const { box, header } = this.#plane(array);
    return newSamples(countOf(box) * this.#interleaved, header);
  }

  #plane(array: number): PlaneWanted {
    return this.#planes[array] ?? damaged("a component");
  }
}

/**
 * Every `step`-th sample of every `step`-th row, in rows of `width` and pixels of `pixel` samples.
 */
export const subsampled = (
  samples: BlockSamples,
  { width, pixel, step }: { readonly width: number; readonly pixel: number; readonly step: number },
): BlockSamples => {
  const rows = samples.length / (width * pixel);
  const [across, down] = [Math.ceil(width / step), Math.ceil(rows / step)];
  const answer = samples.slice(0, across * down * pixel);
  let to = 0;
  for (let row = 0; row < rows; row += step)
    for (let column = 0; column < width; column += step)
      for (let sample = 0; sample < pixel; sample++)
        answer[to++] = samples[(row * width + column) * pixel + sample] ?? 0;
  return answer;
};
