import { createHash } from "node:crypto";
import { inParts } from "../clients/objects.ts";
import { area } from "../core/geometry.ts";
import type { MetaIdentifier } from "../core/identifier.ts";
import type { Page } from "../core/info.ts";
import { factsOf, formatOfExtension } from "../formats/registry.ts";
import type { KnownImage } from "../service/known.ts";
import { fileAt, infoFile, infoFiles, manifestFiles, pictureFiles } from "./files.ts";
import { type ExportedPicture, type ImageLayout, infoOf, picturesOf } from "./layout.ts";
import type { ExportName } from "./names.ts";
import type { ExportRendering } from "./rendering.ts";
import { needsStaging, type Staging } from "./staging.ts";
import { type ExportedImage, type ExportState, layoutOf } from "./state.ts";
import { type ExportTarget, TargetFailure } from "./target.ts";

/** A page to export. */
export interface ImageJob {
  readonly id: MetaIdentifier;
  readonly name: ExportName;
  readonly image: KnownImage;
  readonly page: Page;
  /** Counted from 0. */
  readonly index: number;
  readonly layout: ImageLayout;
  /** Called with the progress, 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** The dependencies of exporting images. */
export interface Workplace {
  readonly rendering: ExportRendering;
  readonly staging: Staging;
  readonly target: ExportTarget;
  readonly state: ExportState;
  /** Number of derivatives of an image that are rendered at the same time. */
  readonly concurrency: number;
}

/** The outcome of exporting an image. */
export type ImageOutcome = "exported" | "unchanged";

/**
 * Exports a page: its derivatives first, then info.json, so that info.json never offers missing
 * files. Skips a page that has not changed since it was exported. Throws the server's failures, in
 * which case the image is not in the export, and `TargetFailure`.
 */
export const exportImage = async (
  job: ImageJob,
  place: Workplace,
  signal: AbortSignal,
): Promise<ImageOutcome> => {
  const { name, layout, id } = job;
  const { state, target, rendering } = place;
  await rendering.check(id, signal);
  const pictures = picturesOf(layout);
  const key = await keyOf(job, pictures, place, signal);
  const before = state.get(name.path);
  const isKnown = before?.key === key;
  if (isKnown && before.isDone && (await isThere(infoFiles(name.path, layout), target, signal)))
    return "unchanged";
  if (before !== undefined && !isKnown) await removeImage(name.path, place, signal);
  const entry: ExportedImage = {
    source: id.identifier,
    key,
    size: layout.size,
    options: optionsOf(layout),
    isDone: false,
  };
  await state.set(name.path, entry, signal);
  try {
    await writePictures(job, pictures, { ...place, mayBeThere: isKnown }, signal);
  } catch (error) {
    if (!signal.aborted && !(error instanceof TargetFailure))
      await removeImage(name.path, place, signal);
    throw error;
  }
  for (const version of layout.versions) {
    const bytes = Buffer.from(`${JSON.stringify(infoOf(layout, version), null, 2)}\n`);
    const file = { bytes, mediaType: "application/json", isRevised: true };
    await target.write([fileAt(name.path, { version, path: infoFile }, layout)], file, signal);
  }
  await state.set(name.path, { ...entry, isDone: true }, signal);
  return "exported";
};

/** Removes an image from an export; info.json and the manifest first. */
export const removeImage = async (
  path: string,
  { state, target }: Pick<Workplace, "state" | "target">,
  signal: AbortSignal,
): Promise<void> => {
  const image = state.get(path);
  if (image === undefined) return;
  const layout = layoutOf(image);
  await target.remove([...manifestFiles(path, layout), ...infoFiles(path, layout)], signal);
  await target.remove(pictureFiles(path, layout), signal);
  state.forget(path);
};

const optionsOf = ({ size: _size, uris: _uris, ...options }: ImageLayout) => options;

/** Changes with the image, the options, and all settings that affect its derivatives. */
const keyOf = async (
  { id, layout, image }: ImageJob,
  pictures: readonly ExportedPicture[],
  { rendering }: Workplace,
  signal: AbortSignal,
): Promise<string> => {
  const tags: string[] = [];
  for (const format of layout.formats) {
    const smallest = pictures.find((picture) => picture.format === format);
    if (smallest) tags.push(await rendering.etag(id, smallest, signal));
  }
  // Another version of this program may list other sizes.
  const infos = layout.versions.map((version) => infoOf(layout, version));
  const text = JSON.stringify([tags, layout, infos, image.version]);
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
};

/** Whether all files exist. */
export const isThere = async (
  paths: readonly string[],
  target: ExportTarget,
  signal: AbortSignal,
): Promise<boolean> => {
  for (const path of paths) if (!(await target.has(path, signal))) return false;
  return true;
};

const writePictures = async (
  job: ImageJob,
  pictures: readonly ExportedPicture[],
  place: Workplace & { readonly mayBeThere: boolean },
  signal: AbortSignal,
): Promise<void> => {
  const { id, image, page, index, layout, name, onProgress } = job;
  const { rendering, staging, target, mayBeThere, concurrency } = place;
  const stages = needsStaging(image.info, page, pictures.length);
  const stagingShare = stages ? usualStagingShare : 0;
  const staged = stages
    ? await staging.stage(
        {
          image,
          page,
          index,
          tile: layout.tile,
          onProgress: (share) => onProgress(share * stagingShare),
        },
        signal,
      )
    : undefined;
  const withdraw = staged && rendering.provide(id, staged.pyramid);
  const total = pictures.reduce((sum, { size }) => sum + area(size), 0);
  let done = 0;
  try {
    await inParts(pictures, { size: 1, concurrency }, async ([picture]) => {
      if (picture === undefined) return;
      const paths = picture.files.map((file) => fileAt(name.path, file, layout));
      if (!mayBeThere || !(await isThere(paths, target, signal))) {
        const bytes = await rendering.render(id, picture, signal);
        const file = { bytes, mediaType: mediaTypeOf(picture.format), isRevised: false };
        await target.write(paths, file, signal);
      }
      done += area(picture.size);
      onProgress(stagingShare + (1 - stagingShare) * (done / total));
    });
  } finally {
    withdraw?.();
    await staged?.remove();
  }
};

/** The typical share of making a temporary pyramid in the time of an export. */
const usualStagingShare = 0.5;

const mediaTypeOf = (extension: string): string => {
  const format = formatOfExtension(extension);
  return format === undefined ? "application/octet-stream" : factsOf(format).mediaTypes[0];
};
