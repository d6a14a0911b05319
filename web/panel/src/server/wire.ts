import type {
  AccessReport as AccessReportValue,
  TrialOutcome as TrialOutcomeValue,
} from "../../../../src/access/report.ts";
import type {
  ChangeOutcome as ChangeOutcomeValue,
  ConfigurationEntry as ConfigurationEntryValue,
  ConfigurationGroup as ConfigurationGroupValue,
  ConfigurationReport as ConfigurationReportValue,
} from "../../../../src/administration/configuration.ts";
import type {
  Figures as FiguresValue,
  Interval as IntervalValue,
} from "../../../../src/administration/figures.ts";
import type { HealthReport as HealthReportValue } from "../../../../src/administration/health.ts";
import type { ImageLookup as ImageLookupValue } from "../../../../src/administration/image-lookup.ts";
import type {
  LogEntry as LogEntryValue,
  LogPage as LogPageValue,
} from "../../../../src/administration/log-entry.ts";
import type {
  CacheStatus as CacheStatusValue,
  Status as StatusValue,
} from "../../../../src/administration/status.ts";
import type { Task as TaskValue } from "../../../../src/administration/task.ts";
import type {
  PyramidRecord as PyramidRecordValue,
  PyramidsListed as PyramidsListedValue,
} from "../../../../src/service/pyramids.ts";

export type { RuleReport } from "../../../../src/access/report.ts";
export type {
  AppliedChanges,
  ChangeProblem,
} from "../../../../src/administration/configuration.ts";
export type {
  RequestKind,
  StatusClass,
} from "../../../../src/administration/figures.ts";
export type { Color } from "../../../../src/administration/health.ts";
export type { LogLevel } from "../../../../src/administration/log-entry.ts";
export type {
  AbilityStatus,
  CacheLayer,
  FormatStatus,
  OriginStatus,
  SourceStatus,
} from "../../../../src/administration/status.ts";
export type { TaskRequest, TaskState, Verb } from "../../../../src/administration/task.ts";
export type { Definition } from "../../../../src/config/keys.ts";
export type { Lock } from "../../../../src/config/locks.ts";
export type { ProblemOrigin } from "../../../../src/config/problems.ts";
export type { Metadata, Value } from "../../../../src/formats/metadata/values.ts";

/** The type of a value after JSON: dates become strings. */
export type Wire<T> = T extends Date
  ? string
  : T extends object
    ? { readonly [K in keyof T]: Wire<T[K]> }
    : T;

export type AccessReport = Wire<AccessReportValue>;
export type TrialOutcome = Wire<TrialOutcomeValue>;
export type Status = Wire<StatusValue>;
export type CacheStatus = Wire<CacheStatusValue>;
export type Figures = Wire<FiguresValue>;
export type Interval = Wire<IntervalValue>;
export type HealthReport = Wire<HealthReportValue>;
export type Task = Wire<TaskValue>;
export type PyramidsListed = Wire<PyramidsListedValue>;
export type PyramidRecord = Wire<PyramidRecordValue>;
export type LogPage = Wire<LogPageValue>;
export type LogEntry = Wire<LogEntryValue>;
// Metadata contains no dates, and its type is recursive.
export type ImageLookup = Wire<Omit<ImageLookupValue, "metadata">> &
  Pick<ImageLookupValue, "metadata">;
export type ConfigurationReport = Wire<ConfigurationReportValue>;
export type ConfigurationGroup = Wire<ConfigurationGroupValue>;
export type ConfigurationEntry = Wire<ConfigurationEntryValue>;
export type ChangeOutcome = Wire<ChangeOutcomeValue>;

/** Who is logged in. */
export interface Session {
  readonly username: string;
  /** Sent with every request that changes something. */
  readonly token: string;
  /** Vitrine's own. */
  readonly version: string;
}
