import { SourceChanged } from "../core/range-reader.ts";
import type { SourceObject } from "../core/source.ts";
import type { InfoRecord } from "./info-record.ts";

/**
 * A stored object assumed to be as recorded: the source is asked only when it is opened, which
 * throws `SourceChanged` where it has another one now.
 */
export const recordedObject = (
  { version, size, lastModified }: InfoRecord,
  find: () => Promise<SourceObject>,
): SourceObject => {
  let found: SourceObject | undefined;
  return {
    version,
    size,
    ...(lastModified ? { lastModified } : {}),
    traffic: () => found?.traffic?.(),
    async open() {
      const object = await find();
      if (object.version !== version) throw new SourceChanged();
      found = object;
      return object.open();
    },
  };
};
