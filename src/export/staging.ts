import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { environment } from "../config/environment.ts";
import type { Config } from "../config/store.ts";
import { Converter } from "../conversion/converter.ts";
import { ServerError } from "../core/errors.ts";
import { area } from "../core/geometry.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import { Limiter } from "../core/limiter.ts";
import { localPath, useReader } from "../core/range-reader.ts";
import { createCodecs } from "../formats/index.ts";
import { Resources } from "../formats/pool/index.ts";
import type { Decoder } from "../formats/shared/index.ts";
import { encodingFor, mayHavePyramid } from "../pyramids/encoding.ts";
import { pyramidKeys } from "../pyramids/keys.ts";
import { hasLevels } from "../pyramids/slow.ts";
import type { KnownImage } from "../service/known.ts";
import type { PagePyramid } from "../service/prepared.ts";
import { fileObject } from "../sources/file-object.ts";
import { OpenFiles, versionOf } from "../sources/open-files.ts";

/** A page that is read from a pyramid. */
export interface StagedPage {
  readonly pyramid: PagePyramid;
  /** Removes it. */
  remove(): Promise<void>;
}

/** A page to be staged. */
export interface StagingJob {
  readonly image: KnownImage;
  readonly page: Page;
  /** Counted from 0. */
  readonly index: number;
  /** Width and height of a tile in pixels. */
  readonly tile: number;
  readonly onProgress: (share: number) => void;
}

/** Number of pixels that may be decoded unnecessarily before a pyramid costs less. */
const worthwhile = 150_000_000;

/**
 * Whether rendering this number of derivatives takes much longer than making a pyramid first, since
 * most of the page is decoded for each of them.
 */
export const needsStaging = (info: ImageInfo, page: Page, pictures: number): boolean =>
  info.seconds === undefined &&
  mayHavePyramid(info) &&
  !hasLevels(page) &&
  pictures * area(page.size) > worthwhile;

/** Makes temporary lossless pyramids in a separate process, one at a time. */
export class Staging {
  readonly #config: Config;
  readonly #folder: string;
  readonly #turn = new Limiter(() => ({ running: 1, waiting: Number.POSITIVE_INFINITY }));
  readonly #files = new OpenFiles(() => ({ max: 16, idleMs: 30_000, sync: true }));
  readonly #resources: Resources;
  #converter: Converter | undefined;
  #made = 0;

  /** Pyramids are in `folder`, which must exist. */
  constructor(config: Config, folder: string) {
    this.#config = config;
    this.#folder = folder;
    this.#resources = new Resources(config);
  }

  /**
   * Makes a pyramid of a page; undefined if no local copy of the image can be made. Throws
   * `unreadable` with the reason if the image cannot be read.
   */
  stage(job: StagingJob, signal: AbortSignal): Promise<StagedPage | undefined> {
    return this.#turn.run(signal, async () => {
      const { image } = job;
      const path = join(this.#folder, `staged-${process.pid}-${++this.#made}.tif`);
      const isMade = await useReader(await image.object.open(signal), async (reader) => {
        const from = await localPath(reader, signal);
        if (from === undefined) return false;
        await this.#convert({ ...job, from, to: path }, signal);
        return true;
      });
      return isMade ? this.#opened(path, image, signal) : undefined;
    });
  }

  async close(): Promise<void> {
    this.#files.close();
    await this.#converter?.close();
    await this.#resources.close();
  }

  async #convert(
    {
      from,
      to,
      image,
      page,
      index,
      tile,
      onProgress,
    }: StagingJob & { readonly from: string; readonly to: string },
    signal: AbortSignal,
  ): Promise<void> {
    if (this.#converter === undefined || this.#converter.isGone)
      this.#converter = new Converter(environment());
    // The same as for the server's own pyramids.
    const { compression } = encodingFor(image.info, page, {
      quality: 1,
      encoding: this.#config.view(pyramidKeys)()["pyramids.encoding"],
    });
    const pyramid = { compression: "none", quality: 100, tile, levels: "pages" } as const;
    const scaled = { reduction: "scaled", cascades: compression === "jpeg" } as const;
    const outcome = await this.#converter.convert(
      {
        from,
        to,
        force: true,
        page: index + 1,
        format: "tif",
        quality: undefined,
        pyramid: { ...pyramid, ...scaled },
      },
      this.#config.current,
      { signal, onProgress },
    );
    signal.throwIfAborted();
    if ("failed" in outcome) throw new ServerError("unreadable", withoutPath(outcome.failed, from));
  }

  async #opened(path: string, { version }: KnownImage, signal: AbortSignal): Promise<StagedPage> {
    const found = await stat(path, { bigint: true });
    const file = { path, size: Number(found.size), version: versionOf(found) };
    const object = fileObject(file, Number(found.mtimeMs), this.#files);
    const decoder = await this.#decoder();
    const info = await useReader(await object.open(signal), (reader) =>
      decoder.info(reader, signal),
    );
    return {
      // No other process writes to it, so it cannot be damaged.
      pyramid: { image: { info, object, version }, discard: () => {} },
      remove: () => rm(path, { force: true }),
    };
  }

  async #decoder(): Promise<Decoder> {
    const { decoder } = await createCodecs(this.#resources)("tif");
    if (decoder === undefined) throw new ServerError("internal", "There is no decoder of TIFF.");
    return decoder;
  }
}

const withoutPath = (message: string, path: string): string =>
  message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message;
