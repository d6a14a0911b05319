import { type Timings, thousandths } from "../../core/timings.ts";
import type { Exchange } from "./exchange.ts";

/**
 * The Server-Timing header of a response about to be sent, where its client may have one (Server
 * Timing, W3C, §2); ends the response's timings.
 */
export const timingHeaders = ({
  timings,
  tellsTimings,
}: Pick<Exchange, "timings" | "tellsTimings">): Readonly<Record<string, string>> => {
  timings.end();
  return tellsTimings ? { "server-timing": serverTiming(timings) } : {};
};

const serverTiming = ({ times, total, way }: Timings): string =>
  [
    ...Object.entries({ ...times, total: thousandths(total) }).map(
      ([name, ms]) => `${name};dur=${ms}`,
    ),
    ...(way === undefined ? [] : [`way;desc=${way}`]),
  ].join(", ");
