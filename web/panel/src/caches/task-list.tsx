import { count, duration, milliseconds } from "../format/numbers.ts";
import { usePanel } from "../panel.ts";
import { hashOf } from "../routes.ts";
import { messageOf } from "../server/api.ts";
import type { Task, TaskState } from "../server/wire.ts";
import { Progress } from "../ui/meter.tsx";
import { Empty } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { resultText } from "./result.ts";
import { isMaking, verbWords } from "./verbs.ts";

const states: Readonly<Record<TaskState, { readonly label: string; readonly tone: string }>> = {
  QUEUED: { label: "Waiting", tone: "grey" },
  RUNNING: { label: "Running", tone: "accent" },
  SUCCEEDED: { label: "Done", tone: "green" },
  FAILED: { label: "Failed", tone: "red" },
};

const cancelled = { label: "Cancelled", tone: "grey" } as const;

/** Maximum number of listed tasks; the server may remember thousands. */
const max = 100;

interface Props {
  readonly tasks: readonly Task[];
  /** Called when the server has cancelled one. */
  readonly onCancelled: () => void;
}

/** Running and past tasks, latest first. */
export const TaskList = ({ tasks, onCancelled }: Props) =>
  tasks.length === 0 ? (
    <Empty>No task has been started since the server started.</Empty>
  ) : (
    <>
      <ul class="tasks">
        {tasks.slice(0, max).map((task) => (
          <TaskRow key={task.uuid} task={task} onCancelled={onCancelled} />
        ))}
      </ul>
      {tasks.length > max && (
        <p class="soft">{count(tasks.length - max)} older tasks are not listed.</p>
      )}
    </>
  );

interface RowProps {
  readonly task: Task;
  readonly onCancelled: () => void;
}

const TaskRow = ({ task, onCancelled }: RowProps) => {
  const { verb, identifier, status, queuedAt, progress, exception } = task;
  const { label, tone } = task.cancelled ? cancelled : states[status];
  return (
    <li>
      <span class={`pill ${tone}`}>{label}</span>
      <span class="task-what">
        {verbWords[verb]?.title ?? verb}
        {identifier !== undefined && (
          <>
            {" "}
            <a class="code break" href={hashOf("images", identifier)}>
              {identifier}
            </a>
          </>
        )}
        {exception !== undefined && !task.cancelled && (
          <small class="bad">{exception.message}</small>
        )}
        {resultText(task) !== "" && <small class="soft">{resultText(task)}</small>}
        <Reasons task={task} />
      </span>
      <span class="task-progress">
        {status === "RUNNING" ? (
          <Progress part={progress} label={verbWords[verb]?.title ?? verb} />
        ) : null}
      </span>
      <span class="task-cancel">
        <Cancel task={task} onCancelled={onCancelled} />
      </span>
      <span class="number soft">
        <Took task={task} />
      </span>
      <span class="soft number">
        <Time at={queuedAt} />
      </span>
    </li>
  );
};

/** Why pages got no pyramid, as far as the server tells. */
const Reasons = ({ task: { pyramids } }: { readonly task: Task }) => {
  if (pyramids === undefined || pyramids.reasons.length === 0) return null;
  return (
    <details>
      <summary>Latest reasons</summary>
      <ul class="problems">
        {pyramids.reasons.map(({ identifier, reason }, at) => (
          <li key={String(at)}>
            <a class="code break" href={hashOf("images", identifier)}>
              {identifier}
            </a>
            : {reason}
          </li>
        ))}
      </ul>
    </details>
  );
};

/** Cancels a task, unless it has ended or is a purge that is running. */
const Cancel = ({ task, onCancelled }: RowProps) => {
  const { api, notices } = usePanel();
  const { uuid, verb, status } = task;
  const canBe = status === "QUEUED" || (status === "RUNNING" && isMaking(verb));
  if (!canBe) return null;
  const cancel = async (): Promise<void> => {
    try {
      await api(`tasks/${uuid}`, { method: "DELETE" });
      onCancelled();
    } catch (error) {
      notices.say("bad", `The task was not cancelled. ${messageOf(error)}`);
    }
  };
  return (
    <button type="button" class="plain" onClick={cancel}>
      Cancel<span class="unseen"> {verbWords[verb].title}</span>
    </button>
  );
};

const Took = ({ task: { startedAt, stoppedAt } }: { readonly task: Task }) => {
  const { now } = usePanel();
  if (startedAt === undefined) return null;
  const began = Date.parse(startedAt);
  if (stoppedAt === undefined) return <>{duration(now.value - began)}</>;
  const ms = Date.parse(stoppedAt) - began;
  return <>{ms < 10_000 ? milliseconds(ms) : duration(ms)}</>;
};
