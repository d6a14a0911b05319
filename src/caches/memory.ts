import { LRUCache } from "lru-cache";
import { defineKeys } from "../config/keys.ts";
import { defineCache, type Entry } from "./cache.ts";

/** Derivatives kept in this process, the least recently used let go first. */
export const memory = defineCache({
  keys: defineKeys({
    "HeapCache.target_size": {
      type: "bytes",
      default: 2 * 2 ** 30,
      min: 1,
      doc: "How many bytes of pictures the memory cache may hold, divided among the workers.",
      restart: true,
    },
  }),
  create: (settings) => {
    const maxSize = settings["HeapCache.target_size"];
    const entries = new LRUCache<string, Entry>({
      maxSize,
      // One picture may not push out everything else.
      maxEntrySize: Math.max(1, Math.floor(maxSize / 4)),
      sizeCalculation: ({ body }, key) => body.byteLength + 2 * key.length + overhead,
    });
    return {
      async get(key) {
        return entries.get(key);
      },
      async put(key, body) {
        entries.set(key, { body, storedAt: new Date() });
      },
      async remove(prefix) {
        for (const key of [...entries.keys()]) if (key.startsWith(prefix)) entries.delete(key);
      },
    };
  },
});

/** Bytes an entry costs beside its body and key: the map's slots, the entry, its date. */
const overhead = 256;
