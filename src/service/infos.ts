import { LRUCache } from "lru-cache";
import type { RequestContext } from "../core/context.ts";
import { fail } from "../core/errors.ts";
import type { FormatName } from "../core/formats.ts";
import type { ImageInfo } from "../core/info.ts";
import { type RangeReader, SourceChanged } from "../core/range-reader.ts";
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
  /** For how many milliseconds the source is not asked again; absent: it is asked every time. */
  readonly trustMs?: () => number;
  /** Most bytes that infos may take together. */
  readonly mostBytes?: number;
  readonly now?: () => number;
}

/** What was learned, and when the source last said that it still holds. */
interface Memory {
  readonly known: KnownImage;
  readonly seen: number;
}

const usualBytes = 33_554_432;

/** Learns of images, each once, and remembers what it learned while the stored object stays the same. */
export class Infos {
  readonly #deps: InfosDeps;
  readonly #now: () => number;
  readonly #flights = new SingleFlight<ImageInfo>();
  readonly #memories: LRUCache<string, Memory>;

  constructor(deps: InfosDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? (() => performance.now());
    this.#memories = new LRUCache({
      maxSize: deps.mostBytes ?? usualBytes,
      sizeCalculation: ({ known }, identifier) => bytesOf(known.info) + 2 * identifier.length,
    });
  }

  /** What is known of the image of a context; throws `missing`, `denied`, `unreadable` or `upstream`. */
  async get(context: RequestContext, caching: Caching): Promise<KnownImage> {
    const { identifier, signal } = context;
    const remember = this.#deps.remember();
    const memory = remember && caching === "use" ? this.#memories.get(identifier) : undefined;
    if (memory !== undefined && this.#now() - memory.seen < (this.#deps.trustMs?.() ?? 0))
      return memory.known;
    const seen = this.#now();
    const known = await this.#look(context, memory?.known).catch((error: unknown) => {
      // It was replaced just as it was looked at; the new one is as good.
      if (error instanceof SourceChanged && !signal.aborted) return this.#look(context, undefined);
      throw error;
    });
    if (remember && caching !== "bypass") this.#memories.set(identifier, { known, seen });
    return known;
  }

  /** Lets go of what turned out to hold no longer. */
  forget(identifier: string, { version }: Pick<KnownImage, "version">): void {
    if (this.#memories.peek(identifier)?.known.version === version)
      this.#memories.delete(identifier);
  }

  /** Asks the source, and learns where what is known is not of the object it has now. */
  async #look(context: RequestContext, before: KnownImage | undefined): Promise<KnownImage> {
    const { identifier, signal } = context;
    const object = await this.#deps.source().find(identifier, context);
    if (before?.version === object.version) return before;
    const info = await this.#flights.run(`${identifier}\0${object.version}`, signal, (shared) =>
      this.#learn(object, identifier, shared),
    );
    return {
      info,
      object,
      version: object.version,
      ...(object.lastModified ? { lastModified: object.lastModified } : {}),
    };
  }

  async #learn(object: SourceObject, identifier: string, signal: AbortSignal): Promise<ImageInfo> {
    const reader = await object.open();
    try {
      const info = await this.#inspect(reader, identifier, signal);
      await reader.check?.();
      return info;
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

/** About what an info takes in memory, with what stands around it. */
const bytesOf = ({ pages }: ImageInfo): number =>
  pages.reduce((sum, { levels }) => sum + pageBytes + levels.length * levelBytes, imageBytes);

const imageBytes = 1_024;
const pageBytes = 256;
const levelBytes = 128;
