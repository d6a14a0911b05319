import { defineResource, memoryReservations } from "../../pool/index.ts";
import { threadLimitsOf } from "../../shared/index.ts";
import { createSampleEncoders, type SampleEncoders, sampleEncodersHere } from "./threads.ts";

/** The encoders that libvips lacks. */
export const sampleEncoders = defineResource<SampleEncoders>({
  create: (resources) => {
    const { config, processors } = resources;
    if (processors === undefined) return sampleEncodersHere();
    const limits = threadLimitsOf(resources);
    const memory = config.shares.decoder;
    return createSampleEncoders(() => ({ ...limits(), memory }), resources.get(memoryReservations));
  },
  close: (encoders) => encoders.close(),
});
