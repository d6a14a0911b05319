import type { Logger } from "../../core/log.ts";
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

/** Notes an answer that took longer than it should have, to be seen by whoever looks at the log. */
export const reportIfSlow = (
  exchange: Exchange,
  {
    log,
    seconds,
    status,
  }: { readonly log: Logger; readonly seconds: number; readonly status: number },
): void => {
  const { request, target, timings, identifier } = exchange;
  if (seconds === 0 || timings.total < seconds * 1_000) return;
  const spent = (timings.total / 1_000).toFixed(1);
  log.warn(`Slow: ${spent} s for ${request.method} ${target.path}`, {
    request: request.id,
    ...(identifier === undefined ? {} : { identifier }),
    status,
    stages: timings.times,
    ...(timings.way === undefined ? {} : { way: timings.way }),
  });
};
