import type { FormatName } from "../core/formats.ts";
import { area } from "../core/geometry.ts";
import type { Codec } from "../formats/shared/index.ts";
import {
  carriedMetadata,
  isLossless,
  layingEncoder,
  mappedStagingEncoder,
  stagedImage,
  stagingEncoder,
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
  writtenByLibtiff(task, { samples: page.colour.model === "grey" ? 1 : 3 });

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
  const samples = page.colour.model === "grey" ? 1 : 3;
  const bytes = area(page.size) * samples * (page.colour.bits > 8 && drawn.deep ? 2 : 1);
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

/** Writes the whole upright image to a temporary file, and scales all levels from it. */
const writeByScaling = async (
  subject: OpenedPage,
  { file, path, aside }: AtomicFile,
  { task, metadata }: Writing,
): Promise<number> => {
  const { reader, info, page, plan, decoder } = subject;
  const { compression, signal } = task;
  const codecs: Partial<Record<FormatName, Codec>> = { [info.format]: { decoder } };
  const isFirstLevel = compression === "none";
  const staged = isFirstLevel ? path : aside;
  const encoder = isFirstLevel ? stagingEncoder(staged, task.tile) : mappedStagingEncoder(staged);
  codecs["tif"] = { ...codecs["tif"], encoder };
  const deep = isLossless(compression);
  const samples = page.colour.model === "grey" ? 1 : 3;
  const bytes = area(page.size) * samples * (page.colour.bits > 8 && deep ? 2 : 1);
  await whileWriting(
    staged,
    bytes,
    (share) => task.onProgress(share * layingShare),
    () => render({ ...plan, deep, encoding: { compression } }, reader, info, codecs, signal),
  );
  signal.throwIfAborted();
  const profile = await ownProfile(subject, signal);
  return writeScaledPyramid(
    staged,
    { file, path },
    {
      ...task,
      size: plan.size,
      extras: { metadata, profile },
      kernel: reducing[plan.downscaleFilter],
      // Lossless levels are exactly what the server would make of the page.
      cascades: task.cascades ?? !deep,
      aside,
      onProgress: (share) => task.onProgress(layingShare + share * (1 - layingShare)),
    },
  );
};
