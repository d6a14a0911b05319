import type { Settings } from "../../config/keys.ts";
import { fail } from "../../core/errors.ts";
import { area } from "../../core/geometry.ts";
import type { ImageInfo, Page } from "../../core/info.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { open } from "../libvips/index.ts";
import { levelsOf, partOf } from "../pdf/index.ts";
import type { Decoder } from "../shared/index.ts";
import { readDocument, type SvgDocument } from "./document.ts";
import type { svgKeys } from "./keys.ts";
import type { SvgProcesses } from "./processes.ts";
import { regionDocument } from "./region.ts";
import { pixelsOf, sizeOf } from "./size.ts";
import { longestDocument, textOf } from "./text.ts";

type ReadingSettings = () => Settings<typeof svgKeys>;

const channels = 4;

/** Maximum side of a rendering: librsvg counts in 16 bits. */
const longestSide = 32_767;

/**
 * Reads SVG documents (SVG 1.1, and of SVG 2 what librsvg supports), rendered in processes of their
 * own: each request from the document itself, at exactly the requested size, and only its region.
 */
export const createSvgDecoder = (settings: ReadingSettings, processes: SvgProcesses): Decoder => {
  /** The tiles of a document are requested one after the other. */
  let last: { readonly info: ImageInfo; readonly document: SvgDocument } | undefined;

  const documentOf = async (
    reader: RangeReader,
    info: ImageInfo,
    signal: AbortSignal,
  ): Promise<SvgDocument> => {
    if (last?.info === info) return last.document;
    const document = await parse(reader, signal);
    last = { info, document };
    return document;
  };

  const checkSize = (size: Page["size"]): void => {
    const max = settings()["processor.max_scanned_pixels"];
    if (!(area(size) <= max))
      fail("unreadable", `Expected an SVG document of at most ${max} pixels at full size.`);
  };

  return {
    async info(reader, signal) {
      const document = await parse(reader, signal);
      const size = pixelsOf(sizeOf(document.attributes));
      checkSize(size);
      const page: Page = {
        size,
        orientation: 1,
        levels: levelsOf(size),
        colour: { bits: 8, model: "rgb", alpha: true, profile: "none" },
      };
      const info: ImageInfo = { format: "svg", pages: [page] };
      last = { info, document };
      return info;
    },

    async read(reader, info, window, _plan, signal) {
      const page =
        info.pages[window.page] ?? fail("missing", `Expected page 1, not ${window.page + 1}.`);
      checkSize(page.size);
      const document = await documentOf(reader, info, signal);
      const max = settings()["processor.max_decoded_bytes"];
      const { whole, region, covers } = partOf(page.size, window, max / channels);
      const size = { width: region.width, height: region.height };
      if (area(size) * channels > max || Math.max(size.width, size.height) > longestSide)
        fail(
          "unreadable",
          `Expected a region of an SVG document of at most ${max} bytes and ${longestSide} pixels per side; this one has ${size.width} x ${size.height} pixels.`,
        );
      const part = { size: sizeOf(document.attributes), whole, region };
      const job = { document: regionDocument(document, part), ...size };
      const { pixels } = await processes.run(job, signal);
      const options = { limitInputPixels: area(size), raw: { ...size, channels } } as const;
      return {
        image: open(pixels, { options, seconds: settings()["processor.timeout"] }),
        size,
        covers,
      };
    },
  };
};

const parse = async (reader: RangeReader, signal: AbortSignal): Promise<SvgDocument> => {
  if (reader.size > longestDocument)
    fail(
      "unreadable",
      `Expected an SVG document of at most ${longestDocument} bytes; this one has ${reader.size}.`,
    );
  return readDocument(await textOf(await reader.read(0, reader.size, signal)));
};
