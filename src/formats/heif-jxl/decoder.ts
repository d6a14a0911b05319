import type { Settings } from "../../config/keys.ts";
import { withArticle } from "../../core/article.ts";
import { fail } from "../../core/errors.ts";
import { area, type Size } from "../../core/geometry.ts";
import type { Colour, ImageInfo, Page } from "../../core/info.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { profileOf } from "../containers/index.ts";
import { rasterOf } from "../libvips/index.ts";
import { type Decoder, reductionFor, reductionOf, requirePage } from "../shared/index.ts";
import type { decodingKeys } from "../shared/keys.ts";
import type {
  HeifJxlFile,
  HeifJxlFormat,
  HeifJxlJob,
  HeifJxlOutcome,
  HeifJxlPage,
} from "./contract.ts";
import type { HeifJxlThreads } from "./threads.ts";

const titles = { heic: "HEIC", jxl: "JPEG XL" } as const;

type PresentOutcome = Exclude<HeifJxlOutcome, { absent: true }>;

/**
 * Reads one format by a decoder in threads: an image is decoded once while a thread caches it, or
 * only the tiles that a window touches.
 */
export const createHeifJxlDecoder = (
  format: HeifJxlFormat,
  settings: () => Settings<typeof decodingKeys>,
  threads: HeifJxlThreads,
): Decoder => {
  const name = titles[format];
  const ids = new WeakMap<ImageInfo, string>();
  let last = 0;
  const newId = (): string => `${format} ${++last}`;

  const carryOut = async (
    reader: RangeReader,
    id: string,
    jobOn: (file: HeifJxlFile) => HeifJxlJob,
    signal: AbortSignal,
  ): Promise<PresentOutcome> => {
    const outcome = await threads.run(jobOn({ id, format }), signal);
    if (!("absent" in outcome)) return outcome;
    const max = settings()["processor.max_decoded_bytes"];
    if (reader.size > max)
      fail(
        "unreadable",
        `Expected ${withArticle(name)} file of at most ${max} bytes; this one has ${reader.size}.`,
      );
    const bytes = await reader.read(0, reader.size, signal);
    const second = await threads.run(jobOn({ id, format, bytes }), signal);
    return "absent" in second
      ? fail("internal", "A decoding thread lost the bytes of its image.")
      : second;
  };

  const checkCost = ({ model, alpha, bits }: Colour, size: Size): void => {
    const colours = model === "grey" ? 1 : model === "cmyk" ? 4 : 3;
    const bytes = area(size) * (colours + (alpha ? 1 : 0)) * (bits > 8 ? 2 : 1);
    const max = settings()["processor.max_decoded_bytes"];
    if (bytes > max)
      fail(
        "unreadable",
        `Expected a region of ${withArticle(name)} of at most ${max} bytes once decoded; this one takes ${bytes}.`,
      );
  };

  return {
    async info(reader, signal) {
      const id = newId();
      const answer = await carryOut(reader, id, (file) => ({ kind: "pages", file }), signal);
      const pages = "pages" in answer ? answer.pages.map(pageOf) : [];
      const [first, ...rest] = pages;
      if (first === undefined)
        return fail("unreadable", `Expected ${withArticle(name)} file with an image; it has none.`);
      const info: ImageInfo = { format, pages: [first, ...rest] };
      ids.set(info, id);
      return info;
    },

    async read(reader, info, window, _plan, signal) {
      const page = requirePage(info, window.page);
      const reduction = reductionOf(page.size, window.region, reductionFor(window));
      const { size, covers } = reduction;
      checkCost(page.colour, size);
      const { model, profile } = page.colour;
      const id = ids.get(info) ?? newId();
      ids.set(info, id);
      const profiled = profile === "kept" || profile === "converted";
      const answer = await carryOut(
        reader,
        id,
        (file) => ({ kind: "part", file, page: window.page, reduction, profiled }),
        signal,
      );
      if (!("pixels" in answer)) return fail("internal", "Expected the pixels of a page.");
      const image = rasterOf(answer.pixels, {
        size,
        model: model === "grey" || model === "cmyk" ? model : "rgb",
        profile: answer.profile,
        seconds: settings()["processor.timeout"],
      });
      return { image, size, covers };
    },
  };
};

const pageOf = ({ size, orientation, tile, bits, model, alpha, profile }: HeifJxlPage): Page => ({
  size,
  orientation,
  levels: [{ size, tile }],
  colour: { bits, model, alpha, profile: profileOf(profile, model) },
});
