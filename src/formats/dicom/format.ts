import type { Format } from "../record/index.ts";
import { ours } from "../shared/index.ts";
import { decodingKeys } from "../shared/keys.ts";
import { isDicom } from "./signature.ts";

/** DICOM files, including whole slide images. */
export const dicom: Format = {
  name: "dicom",
  facts: {
    name: "DICOM",
    extensions: ["dcm", "dicom"],
    mediaTypes: ["application/dicom"],
    alpha: false,
    maxSide: 0,
  },
  // The preamble may be anything, including the start of a TIFF.
  signature: { matches: isDicom, precedes: true },
  reader: ours,
  losses: "none",
  createDecoder: async (resources) => {
    const { codestreams } = await import("../jpeg2000/file/index.ts");
    const { frameThreads } = await import("./resources.ts");
    const { createDicomDecoder } = await import("./decoder.ts");
    return createDicomDecoder(resources.config.view(decodingKeys), {
      codestreams: await resources.get(codestreams),
      threads: resources.get(frameThreads),
    });
  },
  metadata: async () => (await import("./metadata.ts")).scanDicom,
};
