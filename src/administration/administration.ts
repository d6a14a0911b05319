import type { Attempt } from "../core/login-throttle.ts";
import type { PyramidPage, PyramidsListed } from "../service/pyramids.ts";
import type {
  ChangeOutcome,
  ChangeProblem,
  Changes,
  ConfigurationReport,
} from "./configuration.ts";
import type { Figures } from "./figures.ts";
import type { ImageLookup } from "./image-lookup.ts";
import type { LogPage, LogQuery } from "./log-entry.ts";
import type { Session, SessionClaim } from "./sessions.ts";
import type { Status } from "./status.ts";
import type { Task, TaskRequest } from "./task.ts";

/**
 * Management of the whole server, whichever of its processes is asked. Every call ends: a process
 * that does not answer in time is left out where others can answer for it, and is a `late` error
 * elsewhere.
 */
export interface Administration {
  status(): Promise<Status>;
  figures(): Promise<Figures>;
  /** Queues a task; throws `busy` where the queue is full. */
  begin(request: TaskRequest): Promise<Task>;
  /** All remembered tasks, latest first. */
  tasks(): Promise<readonly Task[]>;
  /** Undefined where no remembered task has this id. */
  task(uuid: string): Promise<Task | undefined>;
  /**
   * Cancels a task that is waiting or makes pyramids; an ended task is returned unchanged.
   * Undefined if no recorded task has this id; throws `malformed` for a running purge.
   */
  cancel(uuid: string): Promise<Task | undefined>;
  /**
   * Pages whose pyramid is made, being made, waiting or refused; `unimplemented` if switched off.
   */
  pyramids(query: PyramidPage): Promise<PyramidsListed>;
  configuration(): Promise<ConfigurationReport>;
  /** Every key set by files or at run time, as text; masked unless requested otherwise. */
  written(how: { readonly secrets: boolean }): Promise<Readonly<Record<string, string>>>;
  /** The faults of changes; none of them is applied. */
  check(changes: Changes): Promise<readonly ChangeProblem[]>;
  /** Applies all changes or none. A mask that comes back leaves its secret unchanged. */
  change(changes: Changes): Promise<ChangeOutcome>;
  logs(query: LogQuery): Promise<LogPage>;
  /** An image's details; throws `missing`, `denied`, `unreadable` … */
  image(identifier: string, signal: AbortSignal): Promise<ImageLookup>;
  /**
   * Records a login attempt from an address, right or wrong. Returns the seconds for which attempts
   * from there are ignored, including this one; 0 where it counts.
   */
  admit(attempt: Attempt): Promise<number>;
  /** Begins a session for a user with valid credentials, of which this is the fingerprint. */
  beginSession(fingerprint: string): Promise<Session>;
  /** Undefined where there is no such session, or it has ended. */
  session(claim: SessionClaim): Promise<Session | undefined>;
  /** Ends the session everywhere. */
  endSession(cookie: string): Promise<void>;
}
