import { type Timings, thousandths } from "../../core/timings.ts";
import type { Exchange } from "./exchange.ts";

/**
 * The Server-Timing header of an answer that is all but sent, where its client is to have one
 * (Server Timing, W3C, §2); with it the answer's timings end.
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
