import { LRUCache } from "lru-cache";
import type { RequestContext } from "../core/context.ts";
import { fail } from "../core/errors.ts";
import type { FormatName } from "../core/formats.ts";
import type { ImageInfo } from "../core/info.ts";
import type { RangeReader } from "../core/range-reader.ts";
import { SingleFlight } from "../core/singleflight.ts";
import type { Codec, Sniff } from "../formats/codec.ts";
import type { Source, SourceObject } from "../sources/source.ts";
import type { Caching, KnownImage } from "./known.ts";

/** What learning of images needs of the rest of the house. */
export interface InfosDeps {
  readonly source: () => Source;
  readonly sniff: Sniff;
  readonly codec: (format: FormatName) => Promise<Codec>;
  readonly remember: () => boolean;
}

/** How many images' infos are remembered; one takes about a kilobyte. */
const remembered = 10_000;

/** Learns of images, each once, and remembers what it learned while the stored object stays the same. */
export class Infos {
  readonly #deps: InfosDeps;
  readonly #flights = new SingleFlight<ImageInfo>();
  readonly #known = new LRUCache<string, KnownImage>({ max: remembered });

  constructor(deps: InfosDeps) {
    this.#deps = deps;
  }

  /** What is known of the image of a context; throws `missing`, `denied`, `unreadable` or `upstream`. */
  async get(context: RequestContext, caching: Caching): Promise<KnownImage> {
    const { identifier, signal } = context;
    const object = await this.#deps.source().find(identifier, context);
    const remember = this.#deps.remember();
    if (remember && caching === "use") {
      const known = this.#known.get(identifier);
      if (known?.version === object.version) return known;
    }
    const info = await this.#flights.run(`${identifier}\0${object.version}`, signal, (shared) =>
      this.#learn(object, identifier, shared),
    );
    const known: KnownImage = {
      info,
      object,
      version: object.version,
      ...(object.lastModified ? { lastModified: object.lastModified } : {}),
    };
    if (remember && caching !== "bypass") this.#known.set(identifier, known);
    return known;
  }

  async #learn(object: SourceObject, identifier: string, signal: AbortSignal): Promise<ImageInfo> {
    const reader = await object.open();
    try {
      return await this.#inspect(reader, identifier, signal);
    } finally {
      await reader.close();
    }
  }

  async #inspect(reader: RangeReader, identifier: string, signal: AbortSignal): Promise<ImageInfo> {
    const format = await this.#deps.sniff(reader, signal);
    const decoder = format && (await this.#deps.codec(format)).decoder;
    if (!decoder)
      return fail("unreadable", `The file of '${identifier}' is of no format this server reads.`);
    return decoder.info(reader, signal);
  }
}
