import type { Calls, Served } from "../administration/calls.ts";
import type { Logger } from "../core/log.ts";
import { type LentOverview, OverviewExchange } from "../service/overview-exchange.ts";
import { OverviewClaims } from "./overview-claims.ts";

/** Time limits in milliseconds: a worker may be making the overview, and others be waiting for it. */
const lendMs = 30_000;
const claimMs = 2 * lendMs;

type Caller = Pick<Calls, "call">;

/** The supervisor's functions for the overviews of a worker, given the calls to each worker. */
export const servedClaims = (
  callsTo: (worker: number) => Caller | undefined,
  log: Logger,
): ((worker: number) => Served) => {
  const claims = new OverviewClaims(
    async (worker, name, after) =>
      lentOverview(await callsTo(worker)?.call("lendOverview", [name, after], lendMs)),
    (worker, err) => log.debug("A worker cannot lend an overview.", { worker, err }),
  );
  return (worker) => ({
    claimOverview: (name: string, after: number) => claims.claim(worker, name, after),
    lookForOverview: (name: string, after: number) => claims.look(worker, name, after),
  });
};

/** The exchange of a worker, and its functions for the supervisor; Linux only. */
export const exchangeThrough = (
  calls: Caller,
  log: Logger,
): { readonly exchange: OverviewExchange; readonly served: Served } | undefined => {
  if (process.platform !== "linux") return undefined;
  const asking =
    (method: "claimOverview" | "lookForOverview") =>
    async (name: string, after: number): Promise<LentOverview | undefined> =>
      lentOverview(await calls.call(method, [name, after], claimMs));
  const exchange = new OverviewExchange({
    ...{ claim: asking("claimOverview"), look: asking("lookForOverview") },
    log,
  });
  return {
    exchange,
    served: {
      lendOverview: (name: string, after: number) => exchange.lend(name, after),
    },
  };
};

/** Both processes are of this version, so that the answer has the type it was sent with. */
const lentOverview = (answer: unknown): LentOverview | undefined =>
  answer as LentOverview | undefined;
