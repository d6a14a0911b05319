import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { RequestContext } from "../../core/context.ts";
import { fail } from "../../core/errors.ts";
import { SourceChanged } from "../../core/range-reader.ts";
import { SingleFlight } from "../../core/singleflight.ts";
import type { Source, SourceObject } from "../../core/source.ts";
import { blockBytes, type FetchBlocks } from "./blocks.ts";
import { contradictory } from "./failures.ts";
import { listKeys } from "./listing.ts";
import { remoteReader } from "./reader.ts";
import type { Remote } from "./remote.ts";
import { type FetchedPart, Requests } from "./request.ts";
import type { ObjectFacts, RemoteObject, Store } from "./store.ts";
import { RequestCounter } from "./tally.ts";

/** Options of a source. */
export interface RemoteOptions {
  /** Milliseconds for reading a range, including all attempts; `source.request_timeout`. */
  readonly requestMs?: () => number;
  /** Whether ranges are requested at all; default true. */
  readonly byRanges?: () => boolean;
  /**
   * Maximum size in bytes of an object that is read to the end to determine its size or version; 1
   * GiB.
   */
  readonly maxMeasuredBytes?: number;
}

/** The state of an object when it was found. */
interface LocatedObject {
  readonly version: string;
  /** In bytes. */
  readonly size: number;
  readonly facts: ObjectFacts;
  /** Whether the store supports ranges for it. */
  readonly byRanges: boolean;
  /** Counts of requests for it. */
  readonly tally: RequestCounter;
}

/** Blocks of an object fetched on finding it: they contain most headers. */
const firstBlocks = 2;
const usualMaxMeasuredBytes = 1_073_741_824;
/** Maximum number of objects whose state is cached, to be confirmed with a request for one byte. */
const maxRemembered = 16_384;
/** Maximum number of servers listed in the status. */
const maxOrigins = 1_024;

/**
 * The objects of a store as a source: read by ranges where the store supports them, else downloaded
 * as a whole.
 */
export const remoteSource = (
  store: Store,
  remote: Remote,
  {
    requestMs,
    byRanges: wantsRanges = () => true,
    maxMeasuredBytes = usualMaxMeasuredBytes,
  }: RemoteOptions = {},
): Source => {
  const { blocks, origins, settings } = remote;
  const { keys: keysOf } = store;
  const requests = new Requests({ origins, settings, ...(requestMs ? { requestMs } : {}) });
  const remembered = new LRUCache<string, LocatedObject>({ max: maxRemembered });
  const looks = new SingleFlight<LocatedObject>();
  const asked = new LRUCache<string, true>({ max: maxOrigins });

  /** The current state of an object, from its first blocks. */
  const lookInto = async (object: RemoteObject, signal: AbortSignal): Promise<LocatedObject> => {
    const range = { offset: 0, length: firstBlocks * blockBytes };
    const tally = new RequestCounter();
    const fetched = await requests.part({ object, signal, tally }, { range, block: blockBytes });
    const { facts } = fetched;
    if (fetched.blocks === undefined || facts.size === undefined) {
      const { size, digest } = await measured({ object, signal, tally }, facts);
      return { version: versionOf(facts, size, digest), size, facts, byRanges: false, tally };
    }
    const { size } = facts;
    const version = versionOf(facts, size, () => digestOf(fetched.blocks ?? []));
    blocks.keep(blocks.idOf(object.key, version), 0, fetched.blocks);
    return { version, size, facts, byRanges: true, tally };
  };

  /**
   * Size and digest of an object whose store sends no size or version: the whole object is read
   * once.
   */
  const measured = async (
    wanted: {
      readonly object: RemoteObject;
      readonly signal: AbortSignal;
      readonly tally: RequestCounter;
    },
    facts: ObjectFacts,
  ): Promise<{ readonly size: number; readonly digest: () => string }> => {
    if (facts.size !== undefined && isVersioned(facts)) return { size: facts.size, digest: none };
    const { body } = await requests.whole(wanted);
    const hash = createHash("sha256");
    let size = 0;
    for await (const chunk of body) {
      hash.update(chunk);
      size += chunk.byteLength;
      if (size > maxMeasuredBytes)
        contradictory(
          wanted.object.place,
          `The response has no Content-Length, ETag or Last-Modified and exceeds ${maxMeasuredBytes} bytes.`,
        );
    }
    const digest = hash.digest("base64url");
    return { size, digest: () => digest };
  };

  /**
   * Checks with a request for one byte whether an object is unchanged; undefined where it is not,
   * or cannot be determined.
   */
  const lookAgain = async (
    object: RemoteObject,
    found: LocatedObject,
    signal: AbortSignal,
  ): Promise<LocatedObject | undefined> => {
    if (!isVersioned(found.facts) || found.size === 0) return undefined;
    try {
      const range = { offset: 0, length: 1 };
      const wanted = { object, expected: found.facts, signal, tally: found.tally };
      const { facts }: FetchedPart = await requests.part(wanted, { range, block: blockBytes });
      const size = facts.size ?? found.size;
      return isVersioned(facts) && versionOf(facts, size, none) === found.version
        ? found
        : undefined;
    } catch (error) {
      if (error instanceof SourceChanged) return undefined;
      throw error;
    }
  };

  const look = async (object: RemoteObject, signal: AbortSignal): Promise<LocatedObject> => {
    const before = remembered.get(object.key);
    const same = before && (await lookAgain(object, before, signal));
    if (same) return same;
    remembered.delete(object.key);
    const found = await lookInto(object, signal);
    remembered.set(object.key, found);
    return found;
  };

  const objectOf = (object: RemoteObject, found: LocatedObject): SourceObject => {
    const { version, size, facts, tally } = found;
    const byRanges = found.byRanges && wantsRanges();
    const id = blocks.idOf(object.key, version);
    const expected = { ...facts, size };
    const changed = (): void => {
      if (remembered.get(object.key) === found) remembered.delete(object.key);
    };
    const fetch: FetchBlocks = async (first, count, signal) => {
      const offset = first * blockBytes;
      const range = { offset, length: Math.min(count * blockBytes, size - offset) };
      try {
        const wanted = { object, expected, signal, tally };
        const fetched = await requests.part(wanted, { range, block: blockBytes });
        // It supported ranges before: this response has to be examined anew.
        if (fetched.blocks === undefined) throw new SourceChanged();
        return fetched.blocks;
      } catch (error) {
        if (error instanceof SourceChanged) changed();
        throw error;
      }
    };
    return {
      version,
      size,
      place: object.place,
      traffic: () => tally.traffic,
      ...(facts.lastModified ? { lastModified: facts.lastModified } : {}),
      ...(byRanges ? { byRanges: true } : {}),
      async open() {
        const identity = JSON.stringify([object.key, version]);
        if (byRanges) return remoteReader({ size, identity, id, blocks, fetch });
        return fail(
          "upstream",
          "The storage of the image sends only whole files, and this one could not be copied.",
          new Error(`${object.place} cannot be read in parts, and there is no copy of it.`),
        );
      },
      async download(signal) {
        try {
          const { body } = await requests.whole({ object, expected, signal, tally });
          return { length: size, body };
        } catch (error) {
          if (error instanceof SourceChanged) changed();
          throw error;
        }
      },
    };
  };

  return {
    async find(_identifier: string, context: RequestContext) {
      const object = await store.locate(context.identifier, context);
      asked.set(object.origin, true);
      const found = await looks.run(object.key, context.signal, (signal) => look(object, signal));
      return objectOf(object, found);
    },
    ...(keysOf
      ? {
          list: async (folder, options) => {
            const keys = await keysOf();
            asked.set(keys.origin, true);
            return listKeys({ keys, requests, folder }, options);
          },
        }
      : {}),
    origins: () => origins.states.filter(({ origin }) => asked.has(origin)),
    close: async () => store.close?.(),
  };
};

/** Whether a store distinguishes states of an object. */
const isVersioned = ({ etag, lastModified }: ObjectFacts): boolean =>
  etag !== undefined || lastModified !== undefined;

/** Identifies a state of an object: by its ETag, else by date and size, else by its bytes. */
const versionOf = (
  { etag, lastModified }: ObjectFacts,
  size: number,
  digest: () => string,
): string => {
  if (etag !== undefined) return `e${etag}`;
  if (lastModified !== undefined) return `m${size}-${lastModified.getTime()}`;
  return `b${size}-${digest()}`;
};

const digestOf = (parts: readonly Uint8Array[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("base64url");
};

const none = (): string => "";
