import type { Amount, Cache } from "../caches/cache.ts";
import { prefixesOf } from "../caches/names.ts";
import { masked } from "../config/masked.ts";
import { untilAborted } from "../core/abort.ts";
import type { Logger } from "../core/log.ts";
import type { Source, SourceObject } from "../core/source.ts";
import { readMetadata } from "../formats/embedded-metadata.ts";
import type { MetadataReaders } from "../formats/metadata/index.ts";
import type { Images } from "../service/images.ts";
import type { Hub } from "./hub.ts";
import type { ImageLookup } from "./image-lookup.ts";

/** Where images are looked up. */
export interface LookUpParts {
  readonly images: Images;
  /** The kind of source, where images do not know better. */
  readonly kind: string;
  readonly source: Pick<Source, "find">;
  readonly hub: Pick<Hub, "inMemory" | "traffic">;
  /** The cache behind the memory; absent where there is none. */
  readonly store?: CountedStore;
  /** Who reads metadata that takes more than ranges; absent: it is not told. */
  readonly readers?: MetadataReaders;
  readonly log: Logger;
}

/** A cache that tells what it holds of an image. */
interface CountedStore {
  readonly cache: Pick<Cache, "stats">;
  /** As the configuration calls it. */
  readonly kind: string;
  /** Milliseconds it may take; 5,000. */
  readonly maxMs?: number;
}

/** Milliseconds that looking an image up may take. */
const maxMs = 15_000;
/** And counting what a store holds of it. */
const countingMs = 5_000;

/** What there is to be told of an image; throws as serving it would. */
export const lookUp = async (
  { images, kind, source, hub, store, readers, log }: LookUpParts,
  identifier: string,
  signal: AbortSignal,
): Promise<ImageLookup> => {
  const both = AbortSignal.any([signal, AbortSignal.timeout(maxMs)]);
  const context = { requestId: "administration", identifier, signal: both };
  const { info, object, version, lastModified } = await images.know(context, "use");
  // Goes on beside the reading, for a store of many entries takes its time.
  const counting = keptIn(store, { identifier, caller: signal, deadline: both, log });
  const reader = await object.open(both);
  const metadata = await readMetadata(reader, info, both, readers).finally(() => reader.close());
  const kept = await counting;
  const found = await located(object, () => source.find(identifier, context));
  // Last, so that it counts what was read for this.
  const traffic = await hub.traffic(identifier, version).catch(() => undefined);
  return {
    identifier,
    source: found.kind ?? kind,
    ...(found.place === undefined ? {} : { place: masked(found.place) }),
    ...(traffic ? { traffic } : {}),
    size: object.size,
    ...(lastModified ? { lastModified } : {}),
    version,
    info,
    metadata,
    inMemory: await hub.inMemory(identifier).catch(() => ({ entries: 0, bytes: 0 })),
    ...(kept ? { kept } : {}),
  };
};

/** An object that says where it lies: what another process learned of an image does not. */
const located = async (
  object: SourceObject,
  find: () => Promise<SourceObject>,
): Promise<Pick<SourceObject, "place" | "kind">> => {
  if (object.place !== undefined) return object;
  return find().catch(() => object);
};

interface Counted {
  readonly identifier: string;
  /** Aborts when nobody wants to know any more. */
  readonly caller: AbortSignal;
  /** That of the whole look-up. */
  readonly deadline: AbortSignal;
  readonly log: Logger;
}

/**
 * What a store holds of an image; undefined, and a line in the log, where it fails to say so in
 * time.
 */
const keptIn = async (
  store: CountedStore | undefined,
  { identifier, caller, deadline, log }: Counted,
): Promise<(Amount & { readonly kind: string }) | undefined> => {
  if (store === undefined) return undefined;
  const { cache, kind, maxMs = countingMs } = store;
  const [pictures = ""] = prefixesOf(identifier);
  const both = AbortSignal.any([deadline, AbortSignal.timeout(maxMs)]);
  try {
    const { entries, bytes } = await untilAborted(both, () => cache.stats(both, pictures));
    return { entries, bytes, kind };
  } catch (error) {
    if (!caller.aborted)
      log.warn("The derivative cache could not say what it holds of an image.", {
        cache: kind,
        identifier,
        error,
      });
    return undefined;
  }
};
