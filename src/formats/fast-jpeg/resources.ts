import { defineResource, memoryReservations } from "../pool/index.ts";
import { InlineTime, threadLimitsOf } from "../shared/index.ts";
import { DecodedTiles } from "./decoded-tiles.ts";
import { tileKeys } from "./keys.ts";
import { createTileThreads, maxInlineMs, type TileThreads } from "./tile-threads.ts";

/** Time that each turn of the event loop may spend on decoding, in milliseconds. */
export const inlineTime = defineResource({ create: () => new InlineTime(maxInlineMs) });

/** The threads that make JPEGs of tiles; undefined where work is done on the calling thread. */
export const tileThreads = defineResource<TileThreads | undefined>({
  create: (resources) => {
    if (resources.processors === undefined) return undefined;
    const limits = threadLimitsOf(resources);
    const { thread } = resources.config.shares;
    return createTileThreads(
      () => ({ ...limits(), reservedBytes: thread }),
      resources.get(inlineTime),
      resources.get(memoryReservations),
    );
  },
  close: async (threads) => threads?.close(),
});

/** The decoded tiles of small levels; undefined without threads to use them. */
export const decodedTiles = defineResource<DecodedTiles | undefined>({
  create: ({ config, processors }) =>
    processors === undefined
      ? undefined
      : new DecodedTiles(config.view(tileKeys)()["cache.server.tiles.target_size"]),
});
