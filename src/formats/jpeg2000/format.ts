import { hasTextAt, startsWithBytes } from "../containers/index.ts";
import type { Format } from "../record/index.ts";
import { ours } from "../shared/index.ts";
import { encoders } from "../write/index.ts";
import { jpeg2000Keys } from "./file/keys.ts";

/** JPEG 2000, High-Throughput JPEG 2000 and bare codestreams. */
export const jpeg2000: Format = {
  name: "jp2",
  facts: {
    name: "JPEG 2000",
    extensions: ["jp2", "j2k", "j2c", "jpc", "jpx", "jpf", "jph", "jhc"],
    mediaTypes: ["image/jp2", "image/jpx", "image/jph", "image/j2c", "image/jphc"],
    alpha: true,
    maxSide: 10_000_000,
  },
  signature: {
    matches: (start) =>
      hasTextAt(start, 4, "jP  ") || startsWithBytes(start, 0xff, 0x4f, 0xff, 0x51),
  },
  reader: ours,
  keys: jpeg2000Keys,
  losses: "none",
  createDecoder: async (resources) => {
    const { codestreams } = await import("./file/index.ts");
    const { tileThreads } = await import("../fast-jpeg/index.ts");
    const { createJpeg2000Decoder } = await import("./decoder.ts");
    const settings = resources.config.view(jpeg2000Keys);
    const reading = await resources.get(codestreams);
    return createJpeg2000Decoder(settings, reading, resources.get(tileThreads));
  },
  encoder: encoders.jp2,
  metadata: async () => (await import("../metadata/index.ts")).scanJpeg2000,
};
