import { area } from "../../core/geometry.ts";
import type { ImageInfo } from "../../core/info.ts";
import type { Plan } from "../../core/plan.ts";
import { type JpegReducer, reducedImageFor } from "../jpeg-reduction/index.ts";
import type { Raster, Window } from "../shared/index.ts";
import type { VipsInput } from "./input.ts";
import { open } from "./opening.ts";

/** What is wanted of a JPEG. */
interface RasterWanted {
  readonly window: Window;
  readonly plan: Plan;
  /** Time limit of libvips' operations. */
  readonly seconds: number;
}

/** JPEGs that are read reduced without libvips. */
export class ReducedRasters {
  readonly #reducer: JpegReducer;
  /** Those that turned out to need libvips. */
  readonly #others = new WeakSet<ImageInfo>();
  /** Pixels per inch, as files state; of images whose file was read by this process. */
  readonly #densities = new WeakMap<ImageInfo, number | undefined>();

  constructor(reducer: JpegReducer) {
    this.#reducer = reducer;
  }

  /** Records the pixels per inch that an image's file states, so that it is not read again. */
  learnDensity(info: ImageInfo, density: number | undefined): void {
    this.#densities.set(info, density);
  }

  /** The reduced raster; undefined where libvips has to read the JPEG. */
  async read(
    input: VipsInput,
    info: ImageInfo,
    { window, plan, seconds }: RasterWanted,
    signal: AbortSignal,
  ): Promise<Raster | undefined> {
    const [{ size, colour }] = info.pages;
    const { model, profile } = colour;
    if (this.#others.has(info) || profile === "converted") return undefined;
    if (model !== "grey" && model !== "rgb") return undefined;
    const wanted = reducedImageFor(size, { window, plan });
    if (wanted === undefined) return undefined;
    const isProfiled = profile === "kept";
    const density = this.#densities.has(info)
      ? this.#densities.get(info)
      : await densityOf(input, seconds);
    this.#densities.set(info, density);
    const { grown } = window;
    const inParts = grown !== undefined;
    const job = { file: input, size, profiled: isProfiled, density, wanted, inParts };
    const covers = { x: 0, y: 0, ...size };
    const reduced = await this.#reducer.reduce(job, signal, (tiff, finished) =>
      grown?.({ tiff, size: wanted.size, covers }, finished),
    );
    const tiff = reduced?.tiff;
    if (tiff === undefined) {
      if (reduced !== undefined) this.#others.add(info);
      return undefined;
    }
    const options = { limitInputPixels: area(wanted.size), ignoreIcc: !isProfiled };
    const image = open(tiff, { as: "tif", options, seconds });
    return { image, tiff, size: wanted.size, covers };
  }
}

/** Pixels per inch, as the file states. */
const densityOf = async (input: VipsInput, seconds: number): Promise<number | undefined> =>
  (await open(input, { as: "jpg", options: { limitInputPixels: false }, seconds }).metadata())
    .density;
