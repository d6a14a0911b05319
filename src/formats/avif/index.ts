import { isAvif } from "../containers/signatures.ts";
import type { Format } from "../format.ts";
import { vipsTitles } from "../libvips/titles.ts";
import { libvips } from "../shared/means.ts";
import { videoKeys } from "../video/keys.ts";
import { videoFrames } from "../video/resources.ts";
import { encoders } from "../write/encode.ts";

/** AVIF */
export const avif: Format = {
  name: "avif",
  facts: {
    name: vipsTitles.avif,
    extensions: ["avif", "avifs"],
    mediaTypes: ["image/avif"],
    alpha: true,
    maxSide: 16_384,
  },
  signature: { matches: isAvif },
  reader: libvips,
  keys: videoKeys,
  createDecoder: async (resources) => {
    const settings = resources.config.view(videoKeys);
    const { createVipsDecoder } = await import("../libvips/decoder.ts");
    const { createSequenceDecoder } = await import("../heif-jxl/sequence.ts");
    const still = createVipsDecoder("avif", settings);
    return createSequenceDecoder("avif", still, settings, resources.get(videoFrames));
  },
  encoder: encoders.avif,
  metadata: async () => (await import("../metadata/avif.ts")).scanAvif,
};
