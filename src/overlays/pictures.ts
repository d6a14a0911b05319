import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import sharp from "sharp";
import type { HttpClient } from "../clients/http.ts";
import { loggable } from "../clients/loggable-error.ts";
import { fail, ServerError } from "../core/errors.ts";
import type { Size } from "../core/geometry.ts";
import type { Logger } from "../core/log.ts";
import { SingleFlight } from "../core/singleflight.ts";
import { fetchPicture, shownPlace } from "./fetching.ts";
import type { Pixels } from "./pixels.ts";

/** The current image of an overlay. */
export interface OverlayPicture extends Pixels {
  /** Hash of its pixels and size. */
  readonly digest: string;
}

/** The cached state of a location. */
interface LoadedPicture {
  readonly picture: OverlayPicture | undefined;
  readonly stamp: string | undefined;
  /** Why there is no image; absent where there is one. */
  readonly failure?: ServerError;
  /** To be checked again from then on, in the unit of `now`. */
  readonly until: number;
}

/** Maximum pixels of one image. */
const maxPixels = 4 * 2 ** 20;
/** Maximum bytes of all cached ones: four of the largest. */
const maxBytes = 64 * 2 ** 20;
const maxPlaces = 256;
/** Time limit of reading an image in milliseconds. */
const readingMs = 10_000;
/** Milliseconds after which a failed location is tried again. */
const retryMs = 5_000;

/**
 * Images of overlays by their file or URL, decoded and cached, and checked again when due. One that
 * can no longer be read stays as it was, with a warning; one that never could be fails as
 * `internal`, since the image must not be shown without it.
 */
export class OverlayPictures {
  readonly #client: HttpClient;
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #flights = new SingleFlight<OverlayPicture>();
  readonly #known = new LRUCache<string, LoadedPicture>({
    max: maxPlaces,
    maxSize: maxBytes,
    sizeCalculation: ({ picture }) => (picture?.data.byteLength ?? 0) + 1_024,
  });

  constructor(client: HttpClient, log: Logger, now = (): number => performance.now()) {
    this.#client = client;
    this.#log = log;
    this.#now = now;
  }

  /** The image of a location; synchronous where it is cached and fresh. */
  get(place: string, signal: AbortSignal): OverlayPicture | Promise<OverlayPicture> {
    const entry = this.#known.get(place);
    if (entry && this.#now() < entry.until) {
      if (entry.picture) return entry.picture;
      if (entry.failure) throw entry.failure;
    }
    return this.#flights.run(place, signal, (leaving) => this.#look(place, leaving));
  }

  async #look(place: string, leaving: AbortSignal): Promise<OverlayPicture> {
    const before = this.#known.get(place);
    const signal = AbortSignal.any([leaving, AbortSignal.timeout(readingMs)]);
    try {
      const found = await fetchPicture(place, this.#client, before?.stamp, signal);
      const isSame = !("bytes" in found) || found.stamp === before?.stamp;
      const picture =
        isSame && before?.picture
          ? before.picture
          : await decode("bytes" in found ? found.bytes : undefined);
      const stamp = "bytes" in found ? found.stamp : before?.stamp;
      this.#known.set(place, { picture, stamp, until: this.#now() + found.freshMs });
      return picture;
    } catch (error) {
      leaving.throwIfAborted();
      return this.#missed(place, before, error);
    }
  }

  #missed(place: string, before: LoadedPicture | undefined, error: unknown): OverlayPicture {
    const until = this.#now() + retryMs;
    const cause = loggable(error);
    const shown = shownPlace(place);
    if (before?.picture) {
      this.#log.warn(
        "The image of an overlay could not be checked for changes; the cached one is used",
        {
          overlay: shown,
          reason: String(cause),
        },
      );
      this.#known.set(place, { ...before, until });
      return before.picture;
    }
    const failure = new ServerError(
      "internal",
      `The overlay ${shown} could not be read, so the image is not served: ${String(cause)}`,
      { cause },
    );
    this.#known.set(place, { picture: undefined, stamp: undefined, failure, until });
    throw failure;
  }
}

const decode = async (bytes: Uint8Array | undefined): Promise<OverlayPicture> => {
  if (bytes === undefined)
    return fail("internal", "The server answered 304 to an unconditional request.");
  const { data, info } = await sharp(bytes, { limitInputPixels: maxPixels, failOn: "error" })
    .autoOrient()
    .toColourspace("srgb")
    .ensureAlpha()
    .raw({ depth: "uchar" })
    .timeout({ seconds: readingMs / 1_000 })
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const digest = createHash("sha256").update(`${width} ${height} `).update(data).digest("hex");
  return { data, width, height, digest };
};

/** An image scaled down to a size. */
export const reduced = async (picture: Pixels, size: Size): Promise<Pixels> => {
  const { width, height } = picture;
  const data = await sharp(picture.data, { raw: { width, height, channels: 4 } })
    .resize({ ...size, fit: "fill" })
    .raw()
    .toBuffer();
  return { data, ...size };
};
