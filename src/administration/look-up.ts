import type { Amount, Cache } from "../caches/cache.ts";
import { prefixesOf } from "../caches/names.ts";
import { masked } from "../config/masked.ts";
import { untilAborted } from "../core/abort.ts";
import type { Logger } from "../core/log.ts";
import type { Source, SourceObject } from "../core/source.ts";
import { readMetadata } from "../formats/embedded-metadata.ts";
import type { MetadataReaders } from "../formats/metadata/index.ts";
import type { Images } from "../service/images.ts";
import type { KnownImage } from "../service/known.ts";
import type { PagePyramidState, PagePyramids } from "../service/page-pyramids.ts";
import type { Hub } from "./hub.ts";
import type { ImageLookup } from "./image-lookup.ts";

/** The dependencies of image look-ups. */
export interface LookUpParts {
  readonly images: Images;
  /** The kind of source, where images do not know it themselves. */
  readonly kind: string;
  readonly source: Pick<Source, "find">;
  readonly hub: Pick<Hub, "inMemory" | "traffic" | "pyramids">;
  /** The cache behind the memory; absent where there is none. */
  readonly store?: CountedStore;
  /** Reads metadata that needs the whole file; absent: it is not reported. */
  readonly readers?: MetadataReaders;
  /** The states of its pages' pyramids; absent if pyramids are switched off. */
  readonly pagePyramids?: PagePyramids | undefined;
  readonly log: Logger;
}

/** A cache that counts its entries of an image. */
interface CountedStore {
  readonly cache: Pick<Cache, "stats">;
  /** Its name in the configuration. */
  readonly kind: string;
  /** Time limit in milliseconds; 5,000. */
  readonly maxMs?: number;
}

/** Time limit of a look-up in milliseconds. */
const maxMs = 15_000;
/** Time limit of counting a store's entries. */
const countingMs = 5_000;

/** An image's details; throws as serving it would. */
export const lookUp = async (
  { images, kind, source, hub, store, readers, pagePyramids, log }: LookUpParts,
  identifier: string,
  signal: AbortSignal,
): Promise<ImageLookup> => {
  const both = AbortSignal.any([signal, AbortSignal.timeout(maxMs)]);
  const context = { requestId: "administration", identifier, signal: both };
  const image = await images.know(context, "use");
  const { info, object, version, lastModified } = image;
  // Runs concurrently, since a large store takes its time.
  const counting = keptIn(store, { identifier, caller: signal, deadline: both, log });
  const reader = await object.open(both);
  const metadata = await readMetadata(reader, info, both, readers).finally(() => reader.close());
  const kept = await counting;
  const pyramids = await pyramidsOf(pagePyramids, hub, { identifier, image, signal: both }).catch(
    (error: unknown) => {
      both.throwIfAborted();
      log.warn("The pyramids of an image could not be looked up.", { identifier, error });
      return undefined;
    },
  );
  const found = await located(object, () => source.find(identifier, context));
  // Last, so that it includes what was read for this.
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
    ...(pyramids ? { pyramids } : {}),
    inMemory: await hub.inMemory(identifier).catch(() => ({ entries: 0, bytes: 0 })),
    ...(kept ? { kept } : {}),
  };
};

/** The states of its pages' pyramids, including those that other processes make. */
const pyramidsOf = async (
  pagePyramids: PagePyramids | undefined,
  hub: Pick<Hub, "pyramids">,
  {
    identifier,
    image,
    signal,
  }: { readonly identifier: string; readonly image: KnownImage; readonly signal: AbortSignal },
): Promise<readonly PagePyramidState[] | undefined> => {
  const pages = await pagePyramids?.(identifier, image, signal);
  if (!pages?.some(({ state }) => state.kind === "absent")) return pages;
  const pending = await Promise.all(
    (["making", "waiting"] as const).map((state) => hub.pyramids({ max: maxPending, state })),
  );
  const known = new Set(
    pending.flatMap(({ records }) =>
      records.filter((one) => one.identifier === identifier).map(({ page }) => page),
    ),
  );
  return pages.map((one) =>
    one.state.kind === "absent" && known.has(one.page)
      ? { ...one, state: { kind: "pending" } }
      : one,
  );
};

/** Maximum number of pyramids being made, and of waiting ones, that are searched for an image. */
const maxPending = 1_000;

/** An object that knows its location: another process's record of an image does not. */
const located = async (
  object: SourceObject,
  find: () => Promise<SourceObject>,
): Promise<Pick<SourceObject, "place" | "kind">> => {
  if (object.place !== undefined) return object;
  return find().catch(() => object);
};

interface Counted {
  readonly identifier: string;
  /** Aborts when nobody waits for the result any more. */
  readonly caller: AbortSignal;
  /** The deadline of the whole look-up. */
  readonly deadline: AbortSignal;
  readonly log: Logger;
}

/**
 * A store's entries of an image; undefined, with a log message, where it does not count them in
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
      log.warn("The derivative cache could not count the entries of an image.", {
        cache: kind,
        identifier,
        error,
      });
    return undefined;
  }
};
