import { defineResource, memoryReservations } from "../pool/index.ts";
import { threadLimitsOf } from "../shared/index.ts";
import { decodingKeys } from "../shared/keys.ts";
import { createFrameThreads, type FrameThreads, frameThreadLimits } from "./threads.ts";

/** The threads that decode the frames of DICOM files. */
export const frameThreads = defineResource<FrameThreads>({
  create: (resources) => {
    const { config, processors } = resources;
    const settings = config.view(decodingKeys);
    const limits = threadLimitsOf(resources);
    const memory = processors === undefined ? undefined : config.shares.decoder;
    const reservations = resources.get(memoryReservations);
    return createFrameThreads(() => frameThreadLimits(settings(), limits(), memory), reservations);
  },
  close: (threads) => threads.close(),
});
