import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";

/** A text ready to be sent. */
export interface Document {
  readonly body: Buffer;
  /** Hash of its type and text; 27 characters of base64url. */
  readonly digest: string;
}

/** The document with a text; `type` is its media type. */
export const documentOf = (type: string, text: string): Document => {
  const body = Buffer.from(text);
  const hash = createHash("sha256").update(type).update(body);
  return { body, digest: hash.digest("base64url").slice(0, 27) };
};

/**
 * The inputs of a document besides its name: values that stay the same objects until they change.
 */
type Sources = readonly unknown[];

interface CachedDocument extends Document {
  readonly sources: Sources;
}

/** Maximum bytes of cached documents, and the overhead of each besides its text. */
const maxBytes = 4_194_304;
const overhead = 512;

/** A bounded LRU cache of documents. */
export class Documents {
  readonly #kept = new LRUCache<string, CachedDocument>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }, name) => body.length + 2 * name.length + overhead,
  });

  /**
   * The document with a name; calls `write` where it is missing or was made of other sources.
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
    const made = { ...documentOf(type, write()), sources };
    this.#kept.set(key, made);
    return made;
  }
}
