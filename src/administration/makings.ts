import { sleep } from "../core/abort.ts";
import { fail, ServerError } from "../core/errors.ts";
import type { Member } from "./member.ts";
import type { Task } from "./task.ts";
import type { TaskProgress } from "./tasks.ts";

/** Milliseconds between two requests for the progress of a task. */
const pollMs = 1_000;

/**
 * Makes pyramids in one process and polls its progress; aborting the signal stops it.
 */
export const makeInOne = async (
  member: Pick<Member, "makePyramids" | "making" | "stopMaking"> | undefined,
  { uuid, ...request }: Pick<Task, "uuid" | "verb" | "identifier">,
  tell: (progress: TaskProgress) => void,
  signal: AbortSignal,
): Promise<void> => {
  if (member === undefined) return fail("busy", "No process is serving at the moment.");
  signal.throwIfAborted();
  const over = new AbortController();
  // A process that cannot be reached has ended, or has its own deadline.
  const stop = (): void => void member.stopMaking(uuid).catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  void follow(member, uuid, tell, over.signal);
  try {
    const last = await member.makePyramids(uuid, request);
    over.abort();
    tell(last);
  } catch (error) {
    if (error instanceof ServerError && error.failure === "aborted" && !signal.aborted)
      return fail(
        "aborted",
        "The worker that made the pyramids ended. Start the task again; it skips finished pyramids.",
        error,
      );
    throw error;
  } finally {
    over.abort();
    signal.removeEventListener("abort", stop);
  }
};

const follow = async (
  member: Pick<Member, "making">,
  uuid: string,
  tell: (progress: TaskProgress) => void,
  over: AbortSignal,
): Promise<void> => {
  while (!over.aborted) {
    // A late answer is superseded by the next one.
    const progress = await member.making(uuid).catch(() => undefined);
    if (progress !== undefined && !over.aborted) tell(progress);
    await sleep(pollMs, over).catch(() => undefined);
  }
};
