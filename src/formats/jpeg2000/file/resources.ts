import { inlineTime } from "../../fast-jpeg/index.ts";
import { defineResource, memoryReservations } from "../../pool/index.ts";
import { threadLimitsOf } from "../../shared/index.ts";
import {
  type Codestreams,
  codestreamsHere,
  codestreamsInThreads,
  createPixelCache,
} from "./codestreams.ts";
import { jpeg2000Keys } from "./keys.ts";

/** Decoded pixels of JPEG 2000 files. */
export const decodedPixels = defineResource({
  create: ({ config }) => createPixelCache(config.view(jpeg2000Keys)),
});

/** Memory for decoded blocks that all workers share; undefined: each has its own. */
export const sharedBlockMemory = defineResource<ArrayBuffer | undefined>({
  create: () => undefined,
});

/** The decoder of JPEG 2000 codestreams. */
export const codestreams = defineResource<Promise<Codestreams>>({
  create: async (resources) => {
    const { config, processors } = resources;
    const settings = config.view(jpeg2000Keys);
    const pixels = resources.get(decodedPixels);
    if (processors === undefined) return codestreamsHere(settings, pixels);
    const limits = threadLimitsOf(resources);
    const { thread } = config.shares;
    return codestreamsInThreads(settings, {
      threads: () => ({ ...limits(), reservedBytes: thread }),
      // Threads on other processors decode beside the event loop; on the same one they only take
      // its time.
      turn: processors < 2 ? resources.get(inlineTime) : undefined,
      reservations: resources.get(memoryReservations),
      pixels,
      sharedMemory: resources.get(sharedBlockMemory),
    });
  },
  close: async (made) => (await made).decoder.close(),
});
