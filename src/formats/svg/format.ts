import { isSvg } from "../containers/index.ts";
import type { Format } from "../record/index.ts";
import { libvips, switched } from "../shared/index.ts";
import { svgKeys } from "./keys.ts";

/** SVG documents. */
export const svg: Format = {
  name: "svg",
  facts: {
    name: "SVG",
    extensions: ["svg"],
    mediaTypes: ["image/svg+xml"],
    alpha: true,
    maxSide: 0,
  },
  signature: { matches: isSvg },
  reader: switched(libvips, svgKeys, "processor.svg.enabled"),
  isOptional: true,
  keys: svgKeys,
  createDecoder: async (resources) => {
    const { svgProcesses } = await import("./resources.ts");
    const { createSvgDecoder } = await import("./decoder.ts");
    return createSvgDecoder(resources.config.view(svgKeys), resources.get(svgProcesses));
  },
};
