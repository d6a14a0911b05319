import { isJpeg } from "../containers/index.ts";
import type { Format } from "../record/index.ts";
import { libvips, vipsTitles } from "../shared/index.ts";
import { decodingKeys } from "../shared/keys.ts";
import { encoders } from "../write/index.ts";

/** JPEG */
export const jpeg: Format = {
  name: "jpg",
  facts: {
    name: vipsTitles.jpg,
    extensions: ["jpg", "jpeg"],
    mediaTypes: ["image/jpeg"],
    alpha: false,
    maxSide: 65_500,
  },
  signature: { matches: isJpeg },
  reader: libvips,
  losses: "chroma",
  async createDecoder(resources) {
    const { createVipsDecoder } = await import("../libvips/index.ts");
    const { jpegReduction, reducerWith } = await import("../jpeg-reduction/index.ts");
    const reducer = reducerWith(resources.get(jpegReduction));
    return createVipsDecoder("jpg", resources.config.view(decodingKeys), reducer);
  },
  encoder: encoders.jpg,
  async pixelEncoder(resources) {
    const { pixelEncoderWith, tileThreads } = await import("../fast-jpeg/index.ts");
    const threads = resources.get(tileThreads);
    return threads && pixelEncoderWith(threads);
  },
  metadata: async () => (await import("../metadata/index.ts")).scanJpeg,
};
