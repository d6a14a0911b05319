import type { FileHandle } from "node:fs/promises";
import { fail } from "../core/errors.ts";
import type { FormatName } from "../core/formats.ts";
import { upright } from "../core/geometry.ts";
import type { Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import { finishedPicture } from "../formats/libvips/index.ts";
import type { Codec, FinishedImage } from "../formats/shared/index.ts";
import {
  createTileEncoder,
  isLossless,
  type PyramidSamples,
  PyramidWriter,
  samplesFor,
  withSamples,
} from "../formats/write/pyramid/index.ts";
import { render } from "../render/render.ts";
import type { OpenedPage } from "./opened-page.ts";
import { isReadWhole, ownProfile, type PyramidTask, type Writing } from "./pyramid-task.ts";

/** Bytes of pixels rendered at a time. */
const bandBytes = 10_485_760;

/** Maximum bytes of an image rendered whole where it cannot be read in parts. */
const wholeBytes = 67_108_864;

/** Renders a page band by band, and writes the pyramid; returns the length of the file in bytes. */
export const writeByBands = async (
  subject: OpenedPage,
  file: Pick<FileHandle, "write">,
  { task, metadata }: Writing,
): Promise<number> => {
  const { stage, onProgress, signal } = task;
  const { page } = subject;
  const isStaged = needsStaging(subject);
  const drawable = isStaged ? await stage({ x: 0, y: 0, ...page.size }) : subject;
  let writer: PyramidWriter | undefined;
  try {
    const { height } = upright(page.size, page.orientation);
    let profile: Uint8Array | undefined;
    const rows = rowsPerIteration(drawable);
    for (let y = 0; y < height; y += rows) {
      signal.throwIfAborted();
      const band = await drawBand(drawable, { y, height: Math.min(rows, height - y) }, task);
      writer ??= await begin(subject, band, { file, task });
      profile ??= band.profile;
      for await (const done of addBand(writer, samplesOf(band, task), { band, task }))
        onProgress((y + done) / height);
    }
    if (writer === undefined) return fail("internal", "Expected an image with at least one row.");
    return await writer.finish({
      metadata,
      profile: profile ?? (await ownProfile(subject, signal)),
    });
  } finally {
    // Running work must have ended before the file is removed; its error is known already.
    await writer?.settle().catch(() => {});
    if (isStaged) await drawable.reader.close();
  }
};

/** Adds rows to a pyramid, a row of tiles at a time; reports the number of rows after each. */
const addBand = async function* (
  writer: PyramidWriter,
  samples: PyramidSamples,
  { band, task: { tile, signal } }: { readonly band: FinishedImage; readonly task: PyramidTask },
): AsyncGenerator<number> {
  const stride = samples.length / band.height;
  for (let y = 0; y < band.height; y += tile) {
    const end = Math.min(band.height, y + tile);
    await writer.add(samples.subarray(y * stride, end * stride), signal);
    yield end;
  }
};

const begin = async (
  { page }: OpenedPage,
  band: FinishedImage,
  { file, task }: { readonly file: Pick<FileHandle, "write">; readonly task: PyramidTask },
): Promise<PyramidWriter> => {
  const samples = samplesFor(task.compression, band.samples);
  const layout = { samples, bits: band.bits };
  const encoder = await createTileEncoder(task, layout);
  const size = upright(page.size, page.orientation);
  return new PyramidWriter(file, { size, layout, tile: task.tile, levels: task.levels }, encoder);
};

/** The rows of a band, rendered as the server would. */
const drawBand = async (
  { reader, info, plan, decoder }: OpenedPage,
  { y, height }: { readonly y: number; readonly height: number },
  { compression, signal }: PyramidTask,
): Promise<FinishedImage> => {
  const { width } = plan.crop;
  const banded: Plan = {
    ...plan,
    crop: { x: 0, y, width, height },
    size: { width, height },
    deep: isLossless(compression),
    // The pipeline removes what JPEG cannot hold.
    encoding: { compression },
  };
  let drawn: FinishedImage | undefined;
  const encoder: Codec["encoder"] = {
    async encode(image) {
      drawn = await finishedPicture(image);
      return new Uint8Array(0);
    },
  };
  const codecs: Partial<Record<FormatName, Codec>> = { [info.format]: { decoder } };
  codecs["tif"] = { ...codecs["tif"], encoder };
  await render(banded, reader, info, codecs, signal);
  return drawn ?? fail("internal", "The image was not rendered.");
};

const samplesOf = (
  { data, bits, samples }: FinishedImage,
  { compression }: PyramidTask,
): PyramidSamples => {
  const numbers =
    bits === 8 ? data : new Uint16Array(data.buffer, data.byteOffset, data.byteLength / 2);
  return withSamples(numbers, samples, samplesFor(compression, samples));
};

/** Whether any band of a page requires reading all of it, and there are many bands. */
const needsStaging = ({ info, page }: OpenedPage): boolean =>
  isReadWhole(page) &&
  // A page of a document is rendered again for each band, but only the band's part of it.
  info.format !== "pdf" &&
  bytesOfRows(page, upright(page.size, page.orientation).height) > wholeBytes;

/** Rows of an upright page that have to be read together. */
const partHeight = ({ levels: [{ tile }], orientation }: Page): number =>
  orientation >= 5 ? tile.width : tile.height;

const bytesOfRows = ({ size, orientation, colour }: Page, rows: number): number =>
  upright(size, orientation).width * rows * 4 * (colour.bits > 8 ? 2 : 1);

/**
 * As many rows as fit, in whole parts where there are any; the whole page where it is no larger.
 */
const rowsPerIteration = ({ page, plan }: OpenedPage): number => {
  const drawn = { ...page, orientation: plan.orientation };
  const { height } = upright(page.size, plan.orientation);
  const part = partHeight(drawn);
  if (part >= height && bytesOfRows(drawn, height) <= wholeBytes) return height;
  const max = Math.max(16, Math.floor(bandBytes / bytesOfRows(drawn, 1)));
  // Half a part is more often read twice.
  return part > max ? (part <= max * 2 ? part : max) : max - (max % part);
};
