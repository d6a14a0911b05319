import { type Replay, replay } from "../replay.ts";
import { latency } from "../statistics.ts";
import type { Origin, Traffic } from "./origin.ts";

/** The requests of a session, and their cost for the origin. */
export interface Session extends Replay {
  readonly requests: number;
  readonly traffic: Traffic;
}

/** Sends each path once, in order, over so many connections at a time. */
export const runSession = async (
  base: URL,
  paths: readonly string[],
  { clients, origin }: { readonly clients: number; readonly origin: Origin },
): Promise<Session> => {
  const [first, ...rest] = paths;
  if (first === undefined) throw new Error("Expected a session of at least one request");
  origin.traffic();
  const replayed = await replay([first, ...rest], {
    base,
    clients,
    seconds: 600,
    requests: paths.length,
    timeout: 300_000,
    headers: {},
  });
  return { ...replayed, requests: paths.length, traffic: origin.traffic() };
};

/** The result of a session in two lines. */
export const describeSession = ({
  requests,
  seconds,
  statuses,
  times,
  traffic,
}: Session): string => {
  const { p50, p95, max } = latency(times);
  return [
    `${requests} requests in ${seconds.toFixed(2)} s (statuses ${JSON.stringify(statuses)}; p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, longest ${max.toFixed(0)} ms)`,
    `${traffic.requests} requests to the origin, ${kibibytes(traffic.bytes)} KiB`,
  ].join("\n");
};

/** Bytes as KiB, with one decimal. */
export const kibibytes = (bytes: number): string => (bytes / 1_024).toFixed(1);
