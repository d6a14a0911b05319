import { ServerError } from "../src/core/errors.ts";
import { type ByteRange, SourceChanged } from "../src/core/range-reader.ts";
import type { RemoteSettings } from "../src/sources/remote/keys.ts";
import type { ObjectResponse, Store } from "../src/sources/remote/store.ts";

/** Settings of remote sources suitable for tests: short waits. */
export const remoteSettings: RemoteSettings = {
  "source.cache.blocks.target_size": 16_777_216,
  "source.requests.max_per_origin": 32,
  "source.requests.max_waiting": 512,
  "source.connect_timeout": 5,
  "source.response_timeout": 5,
  "source.request_timeout": 10,
  "source.download_timeout": 20,
  "source.attempts": 3,
  "source.breaker.failures": 10,
  "source.breaker.seconds": 5,
};

/** A request that came to a store. */
export interface Sent {
  readonly range: ByteRange | undefined;
  readonly etag: string | undefined;
}

/** A store in memory, for tests. */
export interface MemoryStore extends Store {
  /** Objects by identifier; further ones may be added. */
  readonly objects: Map<string, { bytes: Uint8Array; etag?: string }>;
  /** All requests so far. */
  readonly sent: Sent[];
  /** Replaces the default response. */
  around: (
    answer: () => ObjectResponse,
    sent: Sent,
    signal: AbortSignal,
  ) => Promise<ObjectResponse>;
}

/** A store in memory that supports ranges, or ignores them. */
export const memoryStore = ({ ranges = true } = {}): MemoryStore => {
  const objects: MemoryStore["objects"] = new Map();
  const sent: Sent[] = [];
  const store: MemoryStore = {
    objects,
    sent,
    around: async (answer) => answer(),
    locate: async (identifier) => ({
      place: `memory:${identifier}`,
      origin: "memory:",
      key: identifier,
      async get(range, { etag, signal }) {
        const one: Sent = { range, etag };
        sent.push(one);
        const answer = (): ObjectResponse => {
          const object = objects.get(identifier);
          if (!object) throw new ServerError("missing", `There is no image '${identifier}'.`);
          if (etag !== undefined && etag !== object.etag) throw new SourceChanged();
          return responseOf(object, ranges ? range : undefined);
        };
        return store.around(answer, one, signal);
      },
    }),
  };
  return store;
};

const responseOf = (
  { bytes, etag }: { readonly bytes: Uint8Array; readonly etag?: string },
  range: ByteRange | undefined,
): ObjectResponse => {
  const offset = range?.offset ?? 0;
  const body = bytes.subarray(offset, offset + (range?.length ?? bytes.length));
  return {
    size: bytes.length,
    ...(etag === undefined ? {} : { etag }),
    ...(range ? { part: { offset, length: body.length } } : {}),
    body: inChunks(body),
    discard() {},
  };
};

/** Bytes in pieces of an odd size. */
export async function* inChunks(bytes: Uint8Array, size = 10_007): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
