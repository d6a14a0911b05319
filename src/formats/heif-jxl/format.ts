import { hasTextAt, isHeif, startsWithBytes } from "../containers/index.ts";
import type { Format } from "../record/index.ts";
import { libjxl, npmPackage } from "../shared/index.ts";
import { decodingKeys } from "../shared/keys.ts";
import { videoKeys } from "../video/keys.ts";
import { encoders } from "../write/index.ts";

/** HEIC and other HEIF files coded in HEVC. */
export const heic: Format = {
  name: "heic",
  facts: {
    name: "HEIC",
    extensions: ["heic", "heif", "hif", "heics"],
    mediaTypes: ["image/heic", "image/heif"],
    alpha: true,
    maxSide: 0,
  },
  signature: { matches: isHeif },
  reader: npmPackage("libheif-js", "libheif"),
  isOptional: true,
  keys: videoKeys,
  losses: "chroma",
  createDecoder: async (resources) => {
    const { videoFrames } = await import("../video/index.ts");
    const { heifJxlThreads } = await import("./resources.ts");
    const settings = resources.config.view(videoKeys);
    const { createHeifJxlDecoder } = await import("./decoder.ts");
    const { createSequenceDecoder } = await import("./sequence.ts");
    const still = createHeifJxlDecoder("heic", settings, resources.get(heifJxlThreads));
    return createSequenceDecoder("heic", still, settings, resources.get(videoFrames));
  },
  metadata: async () => (await import("../metadata/index.ts")).scanAvif,
};

/** JPEG XL. */
export const jxl: Format = {
  name: "jxl",
  facts: {
    name: "JPEG XL",
    extensions: ["jxl"],
    mediaTypes: ["image/jxl"],
    alpha: true,
    maxSide: 65_535,
  },
  signature: {
    matches: (start) => hasTextAt(start, 4, "JXL ") || startsWithBytes(start, 0xff, 0x0a),
  },
  reader: libjxl,
  isOptional: true,
  losses: "none",
  createDecoder: async (resources) => {
    const { heifJxlThreads } = await import("./resources.ts");
    const { createHeifJxlDecoder } = await import("./decoder.ts");
    const settings = resources.config.view(decodingKeys);
    return createHeifJxlDecoder("jxl", settings, resources.get(heifJxlThreads));
  },
  encoder: encoders.jxl,
  metadata: async () => (await import("../metadata/index.ts")).scanJpegXl,
};
