import { defineResource, memoryReservations } from "../pool/index.ts";
import { createVideoFrames } from "./frames.ts";
import { videoKeys } from "./keys.ts";

/** The frames of videos and sequences that FFmpeg's programs decode. */
export const videoFrames = defineResource({
  create: (resources) =>
    createVideoFrames(resources.config.view(videoKeys), resources.get(memoryReservations)),
});
