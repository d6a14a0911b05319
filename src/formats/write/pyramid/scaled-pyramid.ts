import { rm } from "node:fs/promises";
import sharp, { type KernelEnum, type Sharp } from "sharp";
import { fail } from "../../../core/errors.ts";
import { area, type Size } from "../../../core/geometry.ts";
import {
  finishPyramid,
  levelSizes,
  type PyramidExtras,
  type PyramidPlan,
  type WrittenLevel,
} from "./finishing.ts";
import { jpegLevels, libvipsLevels } from "./level-encoders.ts";
import type { SampleLayout } from "./samples.ts";
import { lay, layMapped, mappedSuffix, openStaged } from "./staging.ts";
import { spaceOf, type TileEncoding, writtenByLibtiff } from "./tile-encoding.ts";
import type { OutputFile } from "./vips-pyramid.ts";

/** A pyramid whose levels are scaled from a staged page. */
export interface ScaledPyramid extends Omit<PyramidPlan, "layout">, TileEncoding {
  readonly extras: PyramidExtras;
  readonly kernel: keyof KernelEnum;
  /**
   * Whether each level is scaled from the one before, which is faster, rather than from the full
   * size.
   */
  readonly cascades: boolean;
  /** A path to which suffixes are added for temporary files. */
  readonly aside: string;
  readonly signal: AbortSignal;
  /** Called with the progress, 0 to 1, after each level. */
  readonly onProgress: (share: number) => void;
}

/** The files that a pyramid is made from; the images in them are upright. */
export interface StagedPage {
  /**
   * The path of the page. At the pyramid's own path, it is the first level already: written by
   * `tilesEncoder`, or staged in tiles of the same size if they are uncompressed.
   */
  readonly page: string;
  /** The path of the staged second level. Absent: it is scaled from the page, which is staged. */
  readonly half?: string;
}

/**
 * Writes a pyramid of a staged page, with levels that are all of the page scaled to their sizes.
 * Unlike halving, that places the far edges exactly where the size is odd, as scaling the page
 * itself does. Returns the length in bytes.
 */
export const writeScaledPyramid = async (
  staged: StagedPage,
  { file, path }: OutputFile,
  plan: ScaledPyramid,
): Promise<number> => {
  const { layout, profile } = await stagedLayout(staged.page);
  const [, ...sizes] = levelSizes(plan);
  const isUncompressed = plan.compression === "none";
  const encoding = { ...plan, layout, aside: `${plan.aside}.level` };
  const encoder =
    plan.compression === "jpeg" && !writtenByLibtiff(plan, layout)
      ? jpegLevels({ file }, encoding)
      : libvipsLevels({ file, path }, encoding);
  const add = (from: string, size: Size, isEncoded: boolean): Promise<WrittenLevel> =>
    isEncoded && encoder.addEncoded ? encoder.addEncoded(from) : encoder.addStaged(from, size);
  const levels = [await add(staged.page, plan.size, staged.page === path)];
  const shares = sharesOf([plan.size, ...sizes]);
  plan.onProgress(shares[0] ?? 1);
  const temporary: string[] = [];
  /** Writes a level; returns it, and the file from which the next one is scaled. */
  const writeLevel = async (n: number, size: Size, source: string) => {
    if (n === 0 && staged.half !== undefined)
      return { level: await encoder.addStaged(staged.half, size), next: staged.half };
    const scaled = scaledTo(openStaged(source), size, plan).toColourspace(spaceOf(layout));
    if (encoder.add && !plan.cascades) return { level: await encoder.add(scaled), next: source };
    const reduced = `${plan.aside}.${n}${isUncompressed ? "" : mappedSuffix}`;
    temporary.push(reduced);
    await (isUncompressed ? lay(scaled, reduced, plan.tile) : layMapped(scaled, reduced));
    const level = await add(reduced, size, isUncompressed);
    return { level, next: plan.cascades ? reduced : source };
  };
  try {
    let source = staged.page;
    for (const [n, size] of sizes.entries()) {
      plan.signal.throwIfAborted();
      const { level, next } = await writeLevel(n, size, source);
      source = next;
      levels.push(level);
      plan.onProgress(shares[n + 1] ?? 1);
    }
  } finally {
    for (const one of temporary) await rm(one, { force: true });
  }
  const { output } = encoder;
  const { extras } = plan;
  await finishPyramid(
    output,
    { ...plan, layout },
    {
      levels,
      encoding: encoder.fields(),
      extras: { ...extras, profile: profile ?? extras.profile },
    },
  );
  return output.end;
};

/** The fraction of the work that is done after each level, which is about that of pixels. */
const sharesOf = (sizes: readonly Size[]): readonly number[] => {
  const total = sizes.reduce((sum, size) => sum + area(size), 0);
  let done = 0;
  return sizes.map((size) => {
    done += area(size);
    return done / total;
  });
};

const scaledTo = (image: Sharp, { width, height }: Size, { kernel }: ScaledPyramid): Sharp =>
  image.resize(width, height, { fit: "fill", kernel });

interface Staged {
  readonly layout: SampleLayout;
  /** ICC, where the image has one. */
  readonly profile: Uint8Array | undefined;
}

const stagedLayout = async (path: string): Promise<Staged> => {
  const { channels, depth, icc } = await sharp(path, { limitInputPixels: false }).metadata();
  if (
    (channels !== 1 && channels !== 2 && channels !== 3 && channels !== 4) ||
    (depth !== "uchar" && depth !== "ushort")
  )
    return fail(
      "internal",
      `Expected an image of one to four samples of 8 or 16 bits, got ${channels} of ${depth}.`,
    );
  return { layout: { samples: channels, bits: depth === "ushort" ? 16 : 8 }, profile: icc };
};
