import { defineResource, memoryReservations } from "../pool/index.ts";
import { threadLimitsOf } from "../shared/index.ts";
import { svgKeys } from "./keys.ts";
import { createSvgProcesses, type SvgProcesses, svgProcessLimits } from "./processes.ts";

/** The processes that render SVG documents. */
export const svgProcesses = defineResource<SvgProcesses>({
  create: (resources) => {
    const settings = resources.config.view(svgKeys);
    const limits = threadLimitsOf(resources);
    const reservations = resources.get(memoryReservations);
    return createSvgProcesses(() => svgProcessLimits(settings(), limits()), reservations);
  },
  close: (processes) => processes.close(),
});
