import { open, rm, stat } from "node:fs/promises";
import sharp, { type KernelEnum, type Sharp } from "sharp";
import { fail } from "../../../core/errors.ts";
import { area, type Size } from "../../../core/geometry.ts";
import { wholeFile } from "../../metadata/index.ts";
import type { AssembledField } from "../../tiff/structure/index.ts";
import {
  finishPyramid,
  GrowingFile,
  levelSizes,
  type PyramidExtras,
  type PyramidPlan,
  type WrittenLevel,
} from "./finishing.ts";
import { type LibtiffLevel, libtiffLevels } from "./libtiff-levels.ts";
import type { SampleLayout } from "./samples.ts";
import { layMapped, mappedSuffix, withFullDiskNamed } from "./staging.ts";
import { encodingFields, libtiffOptions, spaceOf, type TileEncoding } from "./tile-encoding.ts";
import type { OutputFile } from "./vips-pyramid.ts";

/** A pyramid whose levels are scaled from a staged image. */
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

/**
 * Writes a pyramid of a staged image, upright and uncompressed, with levels that are all of the
 * image scaled to their sizes. Unlike halving, that places the far edges exactly where the size is
 * odd, as scaling the image itself does. An image that was staged at the pyramid's own path is its
 * first level already. Returns the length in bytes.
 */
export const writeScaledPyramid = async (
  staged: string,
  { file, path }: OutputFile,
  plan: ScaledPyramid,
): Promise<number> => {
  const { layout, profile } = await stagedLayout(staged);
  const [, ...sizes] = levelSizes(plan);
  const encode = (image: Sharp, to: string) =>
    withFullDiskNamed(() =>
      image
        .toColourspace(spaceOf(layout))
        .tiff({ ...libtiffOptions(plan), bigtiff: true })
        .toFile(to),
    );
  const isStored = staged === path;
  if (!isStored) await encode(opened(staged), path);
  const first = await levelIn(path);
  const output = new GrowingFile(file, (await stat(path)).size);
  const levels: WrittenLevel[] = [first];
  const shares = sharesOf([plan.size, ...sizes]);
  plan.onProgress(shares[0] ?? 1);
  const temporary: string[] = [];
  const aside = (suffix: string): string => {
    const name = `${plan.aside}.${suffix}`;
    temporary.push(name);
    return name;
  };
  /** Writes a level; returns where it is, and of what the next one is scaled. */
  const writeLevel = async (n: number, size: Size, source: string) => {
    const scaled = scaledTo(opened(source), size, plan).toColourspace(spaceOf(layout));
    const encoded = aside(isStored ? `level-${n}` : "level");
    if (!plan.cascades || isStored) {
      await encode(scaled, encoded);
      return { encoded, next: plan.cascades ? encoded : source };
    }
    const reduced = aside(`${n}${mappedSuffix}`);
    await layMapped(scaled, reduced);
    await encode(opened(reduced), encoded);
    return { encoded, next: reduced };
  };
  try {
    let source = staged;
    for (const [n, size] of sizes.entries()) {
      plan.signal.throwIfAborted();
      const { encoded, next } = await writeLevel(n, size, source);
      source = next;
      levels.push(await appendLevel(output, encoded, first.jpegTables));
      plan.onProgress(shares[n + 1] ?? 1);
    }
  } finally {
    for (const one of temporary) await rm(one, { force: true });
  }
  const { extras } = plan;
  return finished(
    output,
    { ...plan, layout, extras: { ...extras, profile: profile ?? extras.profile } },
    { levels, first },
  );
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

const finished = async (
  output: GrowingFile,
  plan: PyramidPlan & TileEncoding & { readonly extras: PyramidExtras },
  { levels, first }: { readonly levels: readonly WrittenLevel[]; readonly first: LibtiffLevel },
): Promise<number> => {
  const encoding: readonly AssembledField[] = encodingFields(plan.compression, plan, plan.layout, {
    jpegTables: first.jpegTables,
    byLibtiff: true,
  });
  await finishPyramid(output, plan, { levels, encoding, extras: plan.extras });
  return output.end;
};

const opened = (path: string): Sharp =>
  sharp(path, {
    limitInputPixels: false,
    ignoreIcc: true,
    // Mapped files are read where they are; sequential access would copy their rows to a cache.
    sequentialRead: !path.endsWith(mappedSuffix),
  });

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

const levelIn = async (path: string): Promise<LibtiffLevel> => {
  const file = await open(path, "r");
  try {
    const [level] = await libtiffLevels(wholeFile(file));
    return level ?? fail("internal", "Expected libvips to write a page of tiles; it did not.");
  } finally {
    await file.close();
  }
};

/** Appends the tiles of a level from the file that libvips wrote it to. */
const appendLevel = async (
  output: GrowingFile,
  path: string,
  jpegTables: Uint8Array | undefined,
): Promise<WrittenLevel> => {
  const level = await levelIn(path);
  if (Buffer.compare(jpegTables ?? none, level.jpegTables ?? none) !== 0)
    return fail("internal", "Expected libtiff to use the same JPEG tables at every level.");
  const offsets = new Float64Array(level.offsets.length);
  const file = await open(path, "r");
  try {
    for (let n = 0; n < offsets.length; n++) {
      const bytes = Buffer.allocUnsafe(level.lengths[n] ?? 0);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, level.offsets[n] ?? 0);
      if (bytesRead < bytes.length)
        return fail("internal", "Expected libvips to write whole tiles; one is cut off.");
      offsets[n] = await output.append(bytes);
    }
  } finally {
    await file.close();
  }
  return { size: level.size, offsets, lengths: level.lengths };
};

const none = new Uint8Array(0);
