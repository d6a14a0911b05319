import { defineResource, memoryReservations } from "../pool/index.ts";
import { decodingKeys, threadLimitsOf } from "../shared/index.ts";
import { createForeignThreads, type ForeignThreads, foreignThreadLimits } from "./threads.ts";

/** The threads that decode HEIC and JPEG XL. */
export const foreignThreads = defineResource<ForeignThreads>({
  create: (resources) => {
    const { config, processors } = resources;
    const settings = config.view(decodingKeys);
    const limits = threadLimitsOf(resources);
    const memory = processors === undefined ? undefined : config.shares.decoder;
    const reservations = resources.get(memoryReservations);
    return createForeignThreads(
      () => foreignThreadLimits(settings(), limits(), memory),
      reservations,
    );
  },
  close: (threads) => threads.close(),
});
