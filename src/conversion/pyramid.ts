import { rm } from "node:fs/promises";
import { allOf } from "../core/all-of.ts";
import type { FormatName } from "../core/formats.ts";
import { area, type Size } from "../core/geometry.ts";
import type { Page } from "../core/info.ts";
import { isReadAtHalf } from "../formats/libvips/index.ts";
import type { Codec } from "../formats/shared/index.ts";
import {
  carriedMetadata,
  isLossless,
  layingEncoder,
  mappedStagingEncoder,
  mappedSuffix,
  type StagedPage,
  stagedImage,
  stagingEncoder,
  tilesEncoder,
  writeScaledPyramid,
  writeVipsPyramid,
  writtenByLibtiff,
} from "../formats/write/pyramid/index.ts";
import { render } from "../render/render.ts";
import { reducing } from "../render/scale.ts";
import type { AtomicFile } from "./atomic-file.ts";
import { whileReading, whileWriting } from "./file-progress.ts";
import type { OpenedPage } from "./opened-page.ts";
import { writeByBands } from "./pyramid-bands.ts";
import { isReadWhole, ownProfile, type PyramidTask, type Writing } from "./pyramid-task.ts";

/** Writes a page as a pyramid; returns the length of the file in bytes. */
export const writePyramid = async (
  subject: OpenedPage,
  output: AtomicFile,
  task: PyramidTask,
): Promise<number> => {
  const metadata = await carriedMetadata(subject.reader, subject.info, task.signal);
  if (task.reduction === "scaled") return writeByScaling(subject, output, { task, metadata });
  return suitsLibvips(subject, task)
    ? writeByLibvips(subject, output, { task, metadata })
    : writeByBands(subject, output.file, { task, metadata });
};

/**
 * Whether libvips makes the levels, which is the cheapest: for opaque images that are read whole
 * and need no rotation. With transparency, its averages include the colour of invisible pixels.
 */
const suitsLibvips = ({ info, page, plan }: OpenedPage, task: PyramidTask): boolean =>
  isReadWhole(page) &&
  page.orientation === 1 &&
  // Pages of documents are rendered from their vectors band by band.
  info.format !== "pdf" &&
  (!page.colour.alpha || task.compression === "jpeg") &&
  // Sharpening would enlarge the image, as would the temporary file.
  plan.sharpen === 0 &&
  writtenByLibtiff(task, { samples: samplesOf(page) });

/** The fraction of a pyramid's time until the temporary file is written. */
const layingShare = 0.35;

/** Writes the whole image to a temporary file, and has libvips make a pyramid of it. */
const writeByLibvips = async (
  subject: OpenedPage,
  { file, path, aside }: AtomicFile,
  { task, metadata }: Writing,
): Promise<number> => {
  const { reader, info, page, plan, decoder } = subject;
  const { onProgress, signal, ...options } = task;
  const codecs: Partial<Record<FormatName, Codec>> = { [info.format]: { decoder } };
  codecs["tif"] = { ...codecs["tif"], encoder: layingEncoder(aside, page.size, task) };
  const { compression } = task;
  const drawn = { ...plan, deep: isLossless(compression), encoding: { compression } };
  const bytes = bytesOf(page, page.size, task);
  await whileWriting(
    aside,
    bytes,
    (share) => onProgress(share * layingShare),
    () => render(drawn, reader, info, codecs, signal),
  );
  signal.throwIfAborted();
  const laid = await stagedImage(aside);
  const profile = laid.profile ?? (await ownProfile(subject, signal));
  const pyramid = { ...options, size: page.size, extras: { metadata, profile } };
  const written = await whileReading(
    aside,
    bytes,
    (share) => onProgress(layingShare + share * (1 - layingShare)),
    () => writeVipsPyramid(laid, { file, path }, pyramid),
  );
  onProgress(1);
  return written;
};

/** Stages a page, and scales all levels from it. */
const writeByScaling = async (
  subject: OpenedPage,
  { file, path, aside }: AtomicFile,
  { task, metadata }: Writing,
): Promise<number> => {
  const half = `${aside}.half${mappedSuffix}`;
  try {
    const { staged, share } = await stagePage(subject, { path, aside, half }, task);
    task.signal.throwIfAborted();
    const profile = await ownProfile(subject, task.signal);
    return await writeScaledPyramid(
      staged,
      { file, path },
      {
        ...task,
        size: subject.plan.size,
        extras: { metadata, profile },
        kernel: reducing[subject.plan.downscaleFilter],
        // Lossless levels are exactly what the server would make of the page.
        cascades: task.cascades ?? !isLossless(task.compression),
        findReduced: task.findReduced,
        aside,
        onProgress: (done) => task.onProgress(share + done * (1 - share)),
      },
    );
  } finally {
    await rm(half, { force: true });
  }
};

interface Staging {
  readonly staged: StagedPage;
  /** The fraction of a pyramid's time that staging takes. */
  readonly share: number;
}

/** The paths of a pyramid that is being made, and of its staged page and second level. */
interface StagingPaths extends Pick<AtomicFile, "path" | "aside"> {
  readonly half: string;
}

/**
 * Writes the upright page to a file that levels are scaled from, or as the first level at once if
 * libtiff can write it. If the page can be read at half its size without decoding all of it, which
 * is how the server makes tiles of that size, the half is staged meanwhile.
 */
const stagePage = async (
  subject: OpenedPage,
  { path, aside, half }: StagingPaths,
  task: PyramidTask,
): Promise<Staging> => {
  const { plan, page, reader } = subject;
  const { size } = plan;
  const stage = (to: string, part: Omit<StagedPart, "to">): Promise<unknown> =>
    renderTo(subject, { to, ...part }, task);
  const bytes = bytesOf(page, size, task);
  if (!(await suitsHalf(subject, task))) {
    const isFirstLevel = task.compression === "none";
    const to = isFirstLevel ? path : aside;
    const encoder = isFirstLevel ? stagingEncoder(to, task.tile) : mappedStagingEncoder(to);
    await stage(to, { size, bytes, encoder, shares: [0, layingShare] });
    return { staged: { page: to }, share: layingShare };
  }
  const halved = { width: size.width / 2, height: size.height / 2 };
  const stageHalf = (): Promise<unknown> =>
    stage(half, {
      size: halved,
      bytes: bytesOf(page, halved, task),
      encoder: mappedStagingEncoder(half),
    });
  if (!writtenByLibtiff(task, { samples: samplesOf(page) })) {
    const whole = { size, bytes, encoder: mappedStagingEncoder(aside) };
    await allOf([stage(aside, { ...whole, shares: [0, layingShare] }), stageHalf()]);
    return { staged: { page: aside, half }, share: layingShare };
  }
  // About as large as the file that is read, and the slower of the two.
  const whole = { size, bytes: reader.size, encoder: tilesEncoder(path, task) };
  await allOf([stage(path, { ...whole, shares: [0, encodingShare] }), stageHalf()]);
  return { staged: { page: path, half }, share: encodingShare };
};

/** The fraction of a pyramid's time until the full size is written. */
const encodingShare = 0.85;

/** Whether the page can be read at half its size. */
const suitsHalf = async (
  { reader, info, page, plan }: OpenedPage,
  task: PyramidTask,
): Promise<boolean> =>
  !isLossless(task.compression) &&
  page === info.pages[0] &&
  (await isReadAtHalf(reader, info, { plan, signal: task.signal }));

/** A file to render a page to. */
interface StagedPart {
  readonly to: string;
  readonly size: Size;
  /** Its expected length. */
  readonly bytes: number;
  /** Writes the file itself. */
  readonly encoder: NonNullable<Codec["encoder"]>;
  /** Where in the pyramid's progress it begins and ends; absent: it is not reported. */
  readonly shares?: readonly [number, number];
}

const renderTo = (
  { reader, info, plan, decoder }: OpenedPage,
  { to, size, bytes, encoder, shares }: StagedPart,
  { compression, onProgress, signal }: PyramidTask,
): Promise<unknown> => {
  const codecs: Partial<Record<FormatName, Codec>> = { [info.format]: { decoder } };
  codecs["tif"] = { ...codecs["tif"], encoder };
  const drawn = { ...plan, size, deep: isLossless(compression), encoding: { compression } };
  const work = () => render(drawn, reader, info, codecs, signal);
  if (shares === undefined) return work();
  const [from, end] = shares;
  return whileWriting(to, bytes, (share) => onProgress(from + share * (end - from)), work);
};

/** Samples of a pixel, without opacity. */
const samplesOf = ({ colour }: Page): 1 | 3 => (colour.model === "grey" ? 1 : 3);

/** Bytes of a page's pixels at a size. */
const bytesOf = (page: Page, size: Size, { compression }: PyramidTask): number => {
  const isDeep = page.colour.bits > 8 && isLossless(compression);
  return area(size) * samplesOf(page) * (isDeep ? 2 : 1);
};
