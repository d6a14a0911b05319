import type { Size } from "../../src/core/geometry.ts";
import type { CorpusFile } from "../../test/corpus.ts";

/** The server's resolution for PDF documents in pixels per inch. */
export const dpi = 150;

/**
 * The allowed sizes of the first page in `info.json`, by the manifest. Sides may be a pixel off
 * where `near` is set.
 */
export const sizesOf = (
  file: CorpusFile,
): { readonly sizes: readonly Size[]; readonly near: boolean } => {
  const width = file.upright_width ?? file.width;
  const height = file.upright_height ?? file.height;
  if (width === undefined || height === undefined) return { sizes: [], near: false };
  const turned = (file.rotation ?? 0) % 180 !== 0;
  if (file.format === "pdf") {
    const page = { width: (width * dpi) / 72, height: (height * dpi) / 72 };
    return { sizes: [turned ? swapped(page) : page], near: true };
  }
  const sizes = [turned ? swapped({ width, height }) : { width, height }];
  const step = commonStep(file.component_subsampling);
  if (step !== undefined && /^(jp2|jpx|j2k|htj2k)$/.test(file.format))
    sizes.push({ width: Math.ceil(width / step.width), height: Math.ceil(height / step.height) });
  return { sizes, near: file.format === "svg" };
};

const swapped = ({ width, height }: Size): Size => ({ width: height, height: width });

/** The grid of JPEG 2000 components that are all sampled alike. */
const commonStep = (sampling: CorpusFile["component_subsampling"]): Size | undefined => {
  if (typeof sampling !== "object" || sampling.length !== 1) return undefined;
  const [width, height] = (sampling[0] ?? "").split("x").map(Number);
  return width && height ? { width, height } : undefined;
};

/** The expected number of pages of a file; undefined where the manifest does not say. */
export const pagesOf = (file: CorpusFile): number | undefined => {
  switch (file.format) {
    case "tiff":
      return file.directories === undefined ? file.pages : directoryPages(file.directories);
    case "pdf":
    case "dicom":
    case "heic":
      return file.pages;
    case "gif":
    case "webp":
    case "png":
      return file.frames ?? 1;
    default:
      return undefined;
  }
};

/** Directories that are not masks, nor the first one reduced by halves. */
const directoryPages = (directories: readonly string[]): number => {
  const sizes = directories
    .filter((directory) => !directory.includes("mask"))
    .map((directory) => directory.split(/[x ]/, 2).map(Number));
  const [first = []] = sizes;
  const isLevel = (size: readonly number[]): boolean =>
    [1, 2, 3, 4, 5, 6, 7, 8].some((halvings) =>
      size.every((side, at) => Math.abs(side - (first[at] ?? 0) / 2 ** halvings) <= 1),
    );
  return sizes.filter((size) => !isLevel(size)).length;
};

/** Which pages to request: all of few, the outer and middle ones of many. */
export const sampledPages = (count: number): readonly number[] =>
  count <= maxPages
    ? Array.from({ length: count }, (_, at) => at + 1)
    : [1, 2, Math.ceil(count / 2), count - 1, count];

const maxPages = 16;
