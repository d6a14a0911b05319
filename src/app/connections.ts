import { descriptorLimit } from "../config/descriptors.ts";
import type { Config } from "../config/store.ts";
import type { Logger } from "../core/log.ts";
import { loggedInSum } from "../core/log-summary.ts";
import { connectionKeys, maxConnections } from "../http/connection/connection-limit.ts";
import { Connections, type ExcessAction } from "../http/connection/connections.ts";

/** Counts the connections of a process, and limits them to its share of the configured number. */
export const createConnections = (
  config: Config,
  log: Logger,
  { workers }: { readonly workers: number },
): Connections => {
  const settings = config.view(connectionKeys);
  const descriptors = descriptorLimit();
  const max = (): number => maxConnections(settings(), { workers, descriptors });
  const excess = loggedInSum<ExcessAction>((counts) =>
    log.warn("Too many connections: idle ones were closed, or new ones refused", {
      ...counts,
      max: max(),
    }),
  );
  return new Connections({ max, excess });
};
