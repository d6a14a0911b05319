import type { Administration } from "../../administration/administration.ts";
import {
  isOfOneImage,
  type Task,
  type TaskRequest,
  type Verb,
  verbs,
} from "../../administration/task.ts";
import { fail } from "../../core/errors.ts";
import { quoted } from "../../core/identifier.ts";
import type { ApiAnswer, ApiRequest } from "./exchange.ts";
import { jsonObject } from "./json.ts";

/** `POST /tasks`: queues a task. */
export const beginTask = async ({ management, exchange, body }: ApiRequest): Promise<ApiAnswer> => {
  const task = await management.administration.begin(taskRequest(jsonObject(body)));
  return { status: 202, headers: { location: `${exchange.address.base}/tasks/${task.uuid}` } };
};

/** `GET /tasks`: all remembered tasks, latest first. */
export const listTasks = async ({ management }: ApiRequest): Promise<ApiAnswer> => ({
  status: 200,
  body: (await management.administration.tasks()).map(taskJson),
});

/** `GET /tasks/:uuid`. */
export const showTask = async ({ management, uuid }: ApiRequest): Promise<ApiAnswer> => ({
  status: 200,
  body: taskJson(await taskOf(management.administration, uuid)),
});

/** `DELETE /tasks/:uuid`: cancels a task that is waiting or makes pyramids. */
export const cancelTask = async ({ management, uuid }: ApiRequest): Promise<ApiAnswer> => ({
  status: 200,
  body: taskJson(await cancelled(management.administration, uuid)),
});

/** The task with an id; throws `missing`. */
export const taskOf = async (
  administration: Pick<Administration, "task">,
  uuid: string,
): Promise<Task> =>
  (isUuid(uuid) ? await administration.task(uuid.toLowerCase()) : undefined) ?? unknown(uuid);

/** Cancels the task with an id; throws `missing`, and `malformed` for a running purge. */
export const cancelled = async (
  administration: Pick<Administration, "cancel">,
  uuid: string,
): Promise<Task> =>
  (isUuid(uuid) ? await administration.cancel(uuid.toLowerCase()) : undefined) ?? unknown(uuid);

const unknown = (uuid: string): never =>
  fail("missing", `There is no task ${quoted(uuid)}; tasks are not kept after a restart.`);

const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);

/** The task that a body describes; further keys are ignored. Throws `malformed`. */
export const taskRequest = ({
  verb,
  identifier,
}: Readonly<Record<string, unknown>>): TaskRequest => {
  if (!isVerb(verb))
    return fail("malformed", `verb: expected one of ${verbs.join(", ")}, got ${shown(verb)}`);
  if (!isOfOneImage(verb)) return { verb };
  if (typeof identifier !== "string" || identifier === "" || identifier.length > longest)
    return fail(
      "malformed",
      `identifier: expected the identifier of an image, a text of 1 to ${longest} characters, got ${shown(identifier)}`,
    );
  return { verb, identifier };
};

const longest = 4_096;

const isVerb = (value: unknown): value is Verb => verbs.some((verb) => verb === value);

const shown = (value: unknown): string => {
  if (value === undefined) return "nothing";
  return typeof value === "string" ? quoted(value) : quoted(String(JSON.stringify(value)));
};

/** Cantaloupe's six fields, and further ones. */
export const taskJson = (task: Task) => ({
  uuid: task.uuid,
  verb: task.verb,
  ...(task.identifier === undefined ? {} : { identifier: task.identifier }),
  status: task.status,
  done: task.stoppedAt !== undefined,
  cancelled: task.cancelled ?? false,
  queued_at: task.queuedAt.toISOString(),
  started_at: task.startedAt?.toISOString() ?? null,
  stopped_at: task.stoppedAt?.toISOString() ?? null,
  progress: task.progress,
  removed: task.removed,
  ...(task.pyramids === undefined ? {} : { pyramids: task.pyramids }),
  exception: task.exception?.message ?? null,
});
