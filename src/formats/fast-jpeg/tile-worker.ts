import { Broken } from "../heif-jxl/jpegxl/index.ts";
import { answerJobs } from "../pool/index.ts";
import { createSampleDecoder, createTileDecoder } from "../tiff/codecs/index.ts";
import { createTileEncoder, loadTurbo } from "../turbo/index.ts";
import { drawScaled, drawTiles } from "./tile-drawing.ts";
import type { ThreadJob } from "./tile-job.ts";
import { createTileScaler } from "./tile-scaling.ts";

await answerJobs<ThreadJob, Uint8Array>(async () => {
  const turbo = await loadTurbo();
  const encode = turbo && createTileEncoder(turbo);
  const decoder = await createTileDecoder(turbo);
  const scaler = await createTileScaler();
  const decodeSamples = createSampleDecoder(decoder);
  return {
    carryOut(job) {
      if ("layout" in job) return decodeSamples(job);
      if (encode === undefined) throw new Error("there is no encoder here");
      const tools = { encode, decoder, scaler };
      return "level" in job ? drawScaled(job, tools) : drawTiles(job, tools);
    },
    transfer: ({ buffer }) => [buffer as ArrayBuffer],
    // Corrupt tiles are expected; each is decoded in reset memory, except for JPEG XL.
    isFatal: (error) => error instanceof Broken,
  };
});
