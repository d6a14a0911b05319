import { settleWithin, untilAborted } from "../core/abort.ts";
import { fail, ServerError } from "../core/errors.ts";
import { closingTimes } from "../service/closing.ts";
import { type MakingOfAllParts, makeOfAll } from "./making-of-all.ts";
import { nothingMade, withImage } from "./pyramid-tally.ts";
import type { TaskRequest } from "./task.ts";
import type { TaskProgress } from "./tasks.ts";
import { maxMakingMs } from "./time-limits.ts";

/** Makes pyramids for tasks in this process. */
export interface ProcessMaking {
  /** Runs a task and waits for its end; `id` identifies it in the other calls. */
  make(id: string, request: TaskRequest): Promise<TaskProgress>;
  /** The progress of a task; undefined if it is not running. */
  progress(id: string): TaskProgress | undefined;
  /** Aborts a task, if it is running. */
  stop(id: string): void;
  /** Aborts all tasks, waits for a limited time until they have ended, and refuses new ones. */
  close(): Promise<void>;
}

/** The dependencies of making pyramids. */
export interface OwnMakingParts extends Omit<MakingOfAllParts, "pyramids"> {
  /** Absent if pyramids are switched off. */
  readonly pyramids: MakingOfAllParts["pyramids"] | undefined;
}

/** The message of tasks that concern pyramids if they are switched off. */
export const noPyramids =
  "Pyramids are switched off. To use them, set pyramids.enabled to true and restart the server.";

interface Running {
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
  progress: TaskProgress;
}

export const ownMaking = (parts: OwnMakingParts): ProcessMaking => {
  const { log } = parts;
  const underWay = new Map<string, Running>();
  let isClosed = false;

  const carryOut = (
    { verb, identifier }: TaskRequest,
    tell: (progress: TaskProgress) => void,
    signal: AbortSignal,
  ): Promise<void> => {
    const { pyramids } = parts;
    if (pyramids === undefined) return fail("unimplemented", noPyramids);
    if (verb === "MakePyramids") return makeOfAll({ ...parts, pyramids }, tell, signal);
    return identifier === undefined
      ? fail("malformed", `${verb}: expected the identifier of an image, got none`)
      : makeOfOne(pyramids, identifier, tell, signal);
  };

  return {
    async make(id, request) {
      if (isClosed) return fail("busy", "The server is closing.");
      const stop = new AbortController();
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(maxMakingMs)]);
      const tell = (progress: TaskProgress): void => {
        running.progress = progress;
      };
      const running: Running = {
        stop,
        progress: { progress: 0, pyramids: nothingMade },
        ended: Promise.resolve().then(() =>
          untilAborted(signal, () => carryOut(request, tell, signal)),
        ),
      };
      underWay.set(id, running);
      try {
        await running.ended;
        return running.progress;
      } catch (error) {
        // Failed calls are `aborted` only if the process ended.
        if (isAborted(error) && !signal.aborted) return fail("busy", error.message, error);
        if (error instanceof ServerError) throw error;
        // Details belong in the log only.
        log.error("Pyramids could not be made.", { task: id, verb: request.verb, error });
        return fail(
          "internal",
          `Making pyramids failed. The log has the reason under task ${id}.`,
          error,
        );
      } finally {
        underWay.delete(id);
      }
    },

    progress: (id) => underWay.get(id)?.progress,

    stop: (id) => underWay.get(id)?.stop.abort(new ServerError("aborted", "It was stopped.")),

    async close() {
      isClosed = true;
      const all = [...underWay.values()];
      for (const { stop } of all) stop.abort(new ServerError("aborted", "The server is closing."));
      await settleWithin(
        all.map(({ ended }) => ended),
        closingTimes.purging,
      );
    },
  };
};

const makeOfOne = async (
  pyramids: MakingOfAllParts["pyramids"],
  identifier: string,
  tell: (progress: TaskProgress) => void,
  signal: AbortSignal,
): Promise<void> => {
  const begun = { ...nothingMade, of: 1 };
  const onProgress = (progress: number): void => tell({ progress, pyramids: begun });
  onProgress(0);
  const made = await pyramids.make(identifier, { onProgress }, signal);
  tell({ progress: 1, pyramids: withImage(begun, identifier, made) });
};

const isAborted = (error: unknown): error is ServerError =>
  error instanceof ServerError && error.failure === "aborted";
