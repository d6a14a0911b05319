import { defineResource, memoryReservations } from "../pool/index.ts";
import { threadLimitsOf } from "../shared/index.ts";
import { decodingKeys } from "../shared/keys.ts";
import { createHeifJxlThreads, type HeifJxlThreads, heifJxlThreadLimits } from "./threads.ts";

/** The threads that decode HEIC and JPEG XL. */
export const heifJxlThreads = defineResource<HeifJxlThreads>({
  create: (resources) => {
    const { config, processors } = resources;
    const settings = config.view(decodingKeys);
    const limits = threadLimitsOf(resources);
    const memory = processors === undefined ? undefined : config.shares.decoder;
    const reservations = resources.get(memoryReservations);
    return createHeifJxlThreads(
      () => heifJxlThreadLimits(settings(), limits(), memory),
      reservations,
    );
  },
  close: (threads) => threads.close(),
});
