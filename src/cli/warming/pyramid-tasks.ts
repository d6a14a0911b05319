import type { HttpClient } from "../../clients/http.ts";
import { sleep } from "../../core/abort.ts";
import { callTarget } from "./calls.ts";
import { type MakePyramids, retryAfterSeconds, WarmFailure, WarmStopped } from "./target.ts";

/** A login of the HTTP API. */
export interface ApiLogin {
  readonly username: string;
  readonly secret: string;
}

/** How tasks are sent to a server. */
export interface PyramidTasksOptions {
  readonly client: Pick<HttpClient, "send">;
  /** The server's base, without a slash at the end. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly login: ApiLogin | undefined;
  /** Reports, once, that the API does not make pyramids. */
  readonly warn: (message: string) => void;
  /** Milliseconds between two polls of a task. */
  readonly lookMs?: number;
}

/** Time limits of a call of the API and of a task, waiting included, in milliseconds. */
const callMs = 30_000;
const taskMs = 6 * 3_600_000;
const lookMs = 1_000;
/** Milliseconds to wait where the queue of tasks is full and the server does not say how long. */
const fullMs = 5_000;
const longestMs = 60_000;
const maxBody = 65_536;

/**
 * Has a server make pyramids by tasks of its HTTP API, and waits for them. Where the API is off or
 * has no such tasks, that is reported once and nothing is made. Throws `WarmStopped` where the
 * login is wrong.
 */
export const pyramidTasks = (options: PyramidTasksOptions): MakePyramids => {
  let isOff = false;
  return async (identifier, onProgress, signal) => {
    if (isOff) return;
    const uuid = await begun(options, identifier, signal);
    if (uuid === undefined) {
      if (!isOff) options.warn(offMessage(options));
      isOff = true;
      return;
    }
    await finished(options, uuid, onProgress, signal);
  };
};

/** Waits for a task; throws `WarmFailure` where it failed. */
const finished = async (
  options: PyramidTasksOptions,
  uuid: string,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<void> => {
  const late = performance.now() + taskMs;
  while (performance.now() < late) {
    const { status, body } = await call(options, "GET", `/tasks/${uuid}`, signal);
    if (status !== 200)
      throw new WarmFailure(
        `pyramids: the task cannot be queried (${status}); if the server was restarted, run the command again`,
      );
    const { isDone, progress, error } = taskOf(body);
    onProgress(progress);
    if (isDone && error !== undefined) throw new WarmFailure(`pyramids: ${error}`);
    if (isDone) return;
    await sleep(options.lookMs ?? lookMs, signal);
  }
  throw new WarmFailure(`pyramids: the task took longer than ${taskMs / 3_600_000} h`);
};

const offMessage = ({ name }: Pick<PyramidTasksOptions, "name">): string =>
  `${name} has no tasks that make pyramids (endpoint.api.enabled is off there, or its version is older); full-size tiles are requested instead, so that it detects slow images and makes their pyramids itself`;

/** Queues the task; undefined if the API is off or has no such task. */
const begun = async (
  options: PyramidTasksOptions,
  identifier: string,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const late = performance.now() + taskMs;
  while (performance.now() < late) {
    const asked = { verb: "MakePyramid", identifier };
    const { status, headers, body } = await call(options, "POST", "/tasks", signal, asked);
    if (status === 202) return uuidOf(headers["location"]);
    if (status === 401) throw new WarmStopped(loginWrong(options, status));
    // It is off, there is no such address, or no such verb.
    if (status === 403 || status === 404 || (status === 400 && /verb/.test(body))) return undefined;
    if (status !== 503) throw new WarmFailure(`pyramids: the task was refused (${status})`);
    const seconds = retryAfterSeconds(headers["retry-after"]);
    await sleep(seconds === undefined ? fullMs : Math.min(seconds * 1_000, longestMs), signal);
  }
  throw new WarmFailure(
    `pyramids: the server's queue of tasks has been full for ${taskMs / 3_600_000} h; run the command again later`,
  );
};

const loginWrong = ({ name, login }: PyramidTasksOptions, status: number): string =>
  `the HTTP API of ${name} refused ${login ? "the login endpoint.api.username and .secret of the configuration" : "requests without a login"} (${status}): set endpoint.api.username and endpoint.api.secret as on the server, in the configuration or as environment variables`;

const uuidOf = (location: unknown): string => {
  const [uuid] = /[0-9a-f-]{36}$/i.exec(String(location)) ?? [];
  if (uuid === undefined)
    throw new WarmFailure("pyramids: expected the task's address in Location, got none");
  return uuid;
};

const taskOf = (
  body: string,
): { readonly isDone: boolean; readonly progress: number; readonly error?: string } => {
  const { done, progress, exception }: Readonly<Record<string, unknown>> = Object(parsed(body));
  return {
    isDone: done === true,
    progress: typeof progress === "number" ? Math.min(1, Math.max(0, progress)) : 0,
    ...(typeof exception === "string" ? { error: exception } : {}),
  };
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new WarmFailure("pyramids: expected a task as JSON, got something else");
  }
};

const call = async (
  { client, name, headers, login }: PyramidTasksOptions,
  method: "GET" | "POST",
  path: string,
  signal: AbortSignal,
  json?: object,
) => {
  const send = async (limited: AbortSignal) => {
    const response = await client.send(new URL(name + path), {
      method,
      headers: {
        accept: "application/json",
        ...headers,
        ...(login ? { authorization: basic(login) } : {}),
        ...(json ? { "content-type": "application/json" } : {}),
      },
      ...(json ? { body: Buffer.from(JSON.stringify(json)) } : {}),
      signal: limited,
    });
    let body = "";
    for await (const chunk of response.body)
      if (body.length < maxBody) body += Buffer.from(chunk).toString("utf8");
    return { status: response.status, headers: response.headers, body };
  };
  return callTarget({ name, maxMs: callMs, signal }, send);
};

const basic = ({ username, secret }: ApiLogin): string =>
  `Basic ${Buffer.from(`${username}:${secret}`).toString("base64")}`;
