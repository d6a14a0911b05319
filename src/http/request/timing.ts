import { type Timings, thousandths } from "../../core/timings.ts";
import type { Exchange } from "./exchange.ts";

/**
 * The Server-Timing header of a response about to be sent (Server Timing, W3C, §2); undefined if
 * its client may not have one. Ends the response's timings.
 */
export const serverTiming = ({
  timings,
  tellsTimings,
}: Pick<Exchange, "timings" | "tellsTimings">): string | undefined => {
  timings.end();
  return tellsTimings ? spelled(timings) : undefined;
};

/** As `serverTiming`, set in the response. */
export const addServerTiming = (exchange: Exchange): void => {
  const text = serverTiming(exchange);
  if (text !== undefined) exchange.reply.header("server-timing", text);
};

const spelled = ({ times, total, way }: Timings): string =>
  [
    ...Object.entries({ ...times, total: thousandths(total) }).map(
      ([name, ms]) => `${name};dur=${ms}`,
    ),
    ...(way === undefined ? [] : [`way;desc=${way}`]),
  ].join(", ");
