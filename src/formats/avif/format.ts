import { isAvif } from "../containers/index.ts";
import type { Format } from "../record/index.ts";
import { libvips, vipsTitles } from "../shared/index.ts";
import { videoKeys } from "../video/keys.ts";
import { encoders } from "../write/index.ts";

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
  losses: "chroma",
  createDecoder: async (resources) => {
    const { videoFrames } = await import("../video/index.ts");
    const settings = resources.config.view(videoKeys);
    const { createVipsDecoder } = await import("../libvips/index.ts");
    const { createSequenceDecoder } = await import("../heif-jxl/index.ts");
    const still = createVipsDecoder("avif", settings);
    return createSequenceDecoder("avif", still, settings, resources.get(videoFrames));
  },
  encoder: encoders.avif,
  metadata: async () => (await import("../metadata/index.ts")).scanAvif,
};
