import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";

/** A text that is ready to be sent. */
export interface Document {
  readonly body: Buffer;
  /** Of its type and text; 27 characters of base64url. */
  readonly digest: string;
}

/**
 * What a document was made of besides its name: values that stay the same objects until they
 * change.
 */
type Sources = readonly unknown[];

interface CachedDocument extends Document {
  readonly sources: Sources;
}

/** Bytes that kept documents may take, and that each takes besides its text. */
const maxBytes = 4_194_304;
const overhead = 512;

/** Documents that were made before, within a bound, the least recently used let go first. */
export class Documents {
  readonly #kept = new LRUCache<string, CachedDocument>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }, name) => body.length + 2 * name.length + overhead,
  });

  /**
   * The document of a name, made by `write` where it is not there or was made of other sources.
   * `type` is its media type.
   */
  get(
    name: string,
    { type, sources }: { readonly type: string; readonly sources: Sources },
    write: () => string,
  ): Document {
    const key = `${type}\n${name}`;
    const before = this.#kept.get(key);
    if (before?.sources.every((source, at) => source === sources[at])) return before;
    const body = Buffer.from(write());
    const hash = createHash("sha256").update(type).update(body);
    const made = { body, digest: hash.digest("base64url").slice(0, 27), sources };
    this.#kept.set(key, made);
    return made;
  }
}
