import type { Attempt } from "../core/login-throttle.ts";
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
 * What looks after the whole server, whichever of its processes is asked. Every call ends: what
 * does not answer in time is left out where others can speak for it, and is a `late` failure
 * elsewhere.
 */
export interface Administration {
  status(): Promise<Status>;
  figures(): Promise<Figures>;
  /** Queues a task; throws `busy` where too many wait already. */
  begin(request: TaskRequest): Promise<Task>;
  /** All that are remembered, the latest first. */
  tasks(): Promise<readonly Task[]>;
  /** Undefined where none of this id is remembered. */
  task(uuid: string): Promise<Task | undefined>;
  configuration(): Promise<ConfigurationReport>;
  /** Every key that files or changes at run time set, as text; masked unless asked otherwise. */
  written(how: { readonly secrets: boolean }): Promise<Readonly<Record<string, string>>>;
  /** What is wrong with changes; none of them is made. */
  check(changes: Changes): Promise<readonly ChangeProblem[]>;
  /** Takes all changes or none. A mask that comes back leaves its secret as it is. */
  change(changes: Changes): Promise<ChangeOutcome>;
  logs(query: LogQuery): Promise<LogPage>;
  /** What there is to be told of an image; throws `missing`, `denied`, `unreadable` … */
  image(identifier: string, signal: AbortSignal): Promise<ImageLookup>;
  /**
   * Takes note of an attempt to log in from an address, right or wrong. Returns the seconds for
   * which no attempt from there counts, this one included; 0 where it does.
   */
  admit(attempt: Attempt): Promise<number>;
  /** Logs somebody in who has shown the right credentials, of which this is the fingerprint. */
  beginSession(fingerprint: string): Promise<Session>;
  /** Undefined where there is no such session, or it is over. */
  session(claim: SessionClaim): Promise<Session | undefined>;
  /** Logs out, everywhere. */
  endSession(cookie: string): Promise<void>;
}
