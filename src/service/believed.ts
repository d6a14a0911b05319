import { SourceChanged } from "../core/range-reader.ts";
import type { SourceObject } from "../sources/source.ts";
import type { InfoRecord } from "./info-record.ts";

/**
 * A stored object that is believed to be as a record says: the source is asked only when it is
 * opened, which throws `SourceChanged` where it has another one by now.
 */
export const believed = (
  { version, size, lastModified }: InfoRecord,
  find: () => Promise<SourceObject>,
): SourceObject => ({
  version,
  size,
  ...(lastModified ? { lastModified } : {}),
  async open() {
    const object = await find();
    if (object.version !== version) throw new SourceChanged();
    return object.open();
  },
});
