import { rm } from "node:fs/promises";
import sharp, { type KernelEnum, type Sharp } from "sharp";
import { allOf } from "../../../core/all-of.ts";
import { fail } from "../../../core/errors.ts";
import { area, type Orientation, type Size, toUpright } from "../../../core/geometry.ts";
import { type LevelQualities, qualityOfLevel } from "../index.ts";
import {
  type EncodedLevel,
  finishPyramid,
  type GrowingFile,
  levelSizes,
  type PyramidExtras,
  type PyramidPlan,
  type WrittenLevel,
} from "./finishing.ts";
import { jpegLevels, type LevelEncoder, libvipsLevels } from "./level-encoders.ts";
import type { SampleLayout } from "./samples.ts";
import { lay, layMapped, mappedSuffix, openStaged } from "./staging.ts";
import { spaceOf, type TileEncoding, writtenByLibtiff } from "./tile-encoding.ts";
import type { OutputFile } from "./vips-pyramid.ts";

/** All of a page, reduced, with its colours. */
export interface ReducedPage {
  /** Of a file that libvips reads. */
  readonly path: string;
  /** Of the image in the file. */
  readonly orientation: Orientation;
}

/** Finds all of the page at a size in pixels, which is that of the upright page. */
export type FindReduced = (size: Size) => Promise<ReducedPage | undefined>;

/** A pyramid whose levels are scaled from a staged page. */
export interface ScaledPyramid extends Omit<PyramidPlan, "layout">, TileEncoding, LevelQualities {
  readonly extras: PyramidExtras;
  readonly kernel: keyof KernelEnum;
  /**
   * Whether each level is scaled from the one before, which is faster, rather than from the full
   * size.
   */
  readonly cascades: boolean;
  /** Finds levels that exist already, for example as overviews; absent: none do. */
  readonly findReduced?: FindReduced | undefined;
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
  const encoders = new LevelEncoders({ file, path }, { ...plan, layout });
  /** Appends level n, counted from 0. */
  const add = async (
    n: number,
    write: (encoder: LevelEncoder) => Promise<WrittenLevel>,
  ): Promise<EncodedLevel> => {
    const encoder = encoders.of(n);
    const level = await write(encoder);
    encoders.output = encoder.output;
    return { ...level, encoding: encoder.fields() };
  };
  const first = { from: staged.page, size: plan.size, isEncoded: staged.page === path };
  const addFile = (n: number, { from, size, isEncoded }: LevelFile): Promise<EncodedLevel> =>
    add(n, (encoder) =>
      isEncoded && encoder.addEncoded ? encoder.addEncoded(from) : encoder.addStaged(from, size),
    );
  const shares = sharesOf([plan.size, ...sizes]);
  const temporary: string[] = [];
  const space = spaceOf(layout);
  const imageOf = async (source: string, size: Size): Promise<Sharp> => {
    const found = await plan.findReduced?.(size);
    const image = found ? uprightImage(found) : scaledTo(openStaged(source), size, plan);
    return image.toColourspace(space);
  };
  /** Scales reduced level n, counted from 1, to a file. */
  const scale = async (n: number, size: Size, source: string): Promise<LevelFile> => {
    if (n === 1 && staged.half !== undefined) return { from: staged.half, size, isEncoded: false };
    const from = `${plan.aside}.${n}${isUncompressed ? "" : mappedSuffix}`;
    temporary.push(from);
    const image = await imageOf(source, size);
    await (isUncompressed ? lay(image, from, plan.tile) : layMapped(image, from));
    return { from, size, isEncoded: isUncompressed };
  };
  const levels: EncodedLevel[] = [];
  const note = (level: EncodedLevel): void => {
    plan.onProgress(shares[levels.length] ?? 1);
    levels.push(level);
  };
  /** Scales each level while the one before, which it is scaled from, is encoded. */
  const addCascade = async (): Promise<void> => {
    let current: LevelFile | undefined = first;
    for (let n = 0; current !== undefined; n++) {
      plan.signal.throwIfAborted();
      const { from }: LevelFile = current;
      const size = sizes[n];
      const [level, next]: [EncodedLevel, LevelFile | undefined] = await allOf([
        addFile(n, current),
        size && scale(n + 1, size, from),
      ]);
      note(level);
      current = next;
    }
  };
  const addEach = async (): Promise<void> => {
    note(await addFile(0, first));
    for (const [n, size] of sizes.entries()) {
      plan.signal.throwIfAborted();
      const { add: addScaled } = encoders.of(n + 1);
      note(
        addScaled
          ? await add(n + 1, async () => addScaled(await imageOf(staged.page, size)))
          : await addFile(n + 1, await scale(n + 1, size, staged.page)),
      );
    }
  };
  try {
    await (plan.cascades ? addCascade() : addEach());
  } finally {
    for (const one of temporary) await rm(one, { force: true });
  }
  const { output } = encoders;
  const extras = { ...plan.extras, profile: profile ?? plan.extras.profile };
  if (output === undefined) return fail("internal", "Expected a level to be written; none is.");
  await finishPyramid(output, { ...plan, layout }, { levels, extras });
  return output.end;
};

/** A level in a file. */
interface LevelFile {
  readonly from: string;
  /** In pixels. */
  readonly size: Size;
  /** Whether it is in tiles of the pyramid's encoding already. */
  readonly isEncoded: boolean;
}

/** The encoders of a pyramid's levels: one for each quality. */
class LevelEncoders {
  /** The pyramid's file, once a level is in it. */
  output: GrowingFile | undefined;
  readonly #file: OutputFile;
  readonly #plan: ScaledPyramid & Pick<Staged, "layout">;
  readonly #encoders = new Map<number, LevelEncoder>();

  constructor(file: OutputFile, plan: ScaledPyramid & Pick<Staged, "layout">) {
    this.#file = file;
    this.#plan = plan;
  }

  /** The encoder of level n, counted from 0. */
  of(n: number): LevelEncoder {
    const { layout } = this.#plan;
    const quality = qualityOfLevel(this.#plan, n);
    const known = this.#encoders.get(quality);
    if (known !== undefined) return known;
    const encoding = { ...this.#plan, quality, aside: `${this.#plan.aside}.level` };
    const file = { ...this.#file, output: this.output };
    const encoder =
      encoding.compression === "jpeg" && !writtenByLibtiff(encoding, layout)
        ? jpegLevels(file, encoding)
        : libvipsLevels(file, encoding);
    this.#encoders.set(quality, encoder);
    return encoder;
  }
}

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

const uprightImage = ({ path, orientation }: ReducedPage): Sharp => {
  const image = openStaged(path);
  const { mirror, turns } = toUpright(orientation);
  if (mirror) image.flop();
  return turns === 0 ? image : image.rotate(turns * 90);
};

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
