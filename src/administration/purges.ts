import { fail } from "../core/errors.ts";
import type { Member } from "./member.ts";
import type { Removal, TaskRequest } from "./task.ts";
import type { TaskProgress } from "./tasks.ts";

/**
 * Purges in all processes: the first one also purges shared caches, and then each clears its own
 * memory, so that none can serve purged data any more.
 */
export const purgeEverywhere = async (
  members: readonly Member[],
  request: TaskRequest,
  tell: (progress: TaskProgress) => void,
): Promise<void> => {
  const [first, ...others] = members;
  if (first === undefined) return fail("busy", "No process is serving at the moment.");
  let done = 0;
  let entries = 0;
  const count = (removed: Removal): void => {
    done++;
    entries += removed.entries;
    tell({ progress: done / members.length, removed: { entries } });
  };
  const { verb, identifier } = request;
  const asked = { verb, ...(identifier === undefined ? {} : { identifier }) };
  count(await first.purge(asked, "everywhere"));
  const outcomes = await Promise.allSettled(
    others.map(async (member) => count(await member.purge(asked, "own"))),
  );
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
};
