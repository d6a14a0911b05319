import { count, duration, milliseconds } from "../format/numbers.ts";
import { usePanel } from "../panel.ts";
import { hashOf } from "../routes.ts";
import type { Task, TaskState } from "../server/wire.ts";
import { Progress } from "../ui/meter.tsx";
import { Empty } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { verbWords } from "./verbs.ts";

const states: Readonly<Record<TaskState, { readonly label: string; readonly tone: string }>> = {
  QUEUED: { label: "Waiting", tone: "grey" },
  RUNNING: { label: "Running", tone: "accent" },
  SUCCEEDED: { label: "Done", tone: "green" },
  FAILED: { label: "Failed", tone: "red" },
};

/** Maximum number of listed tasks; the server may remember thousands. */
const max = 100;

/** Running and past tasks, latest first. */
export const TaskList = ({ tasks }: { readonly tasks: readonly Task[] }) =>
  tasks.length === 0 ? (
    <Empty>No task has been started since the server started.</Empty>
  ) : (
    <>
      <ul class="tasks">
        {tasks.slice(0, max).map((task) => (
          <TaskRow key={task.uuid} task={task} />
        ))}
      </ul>
      {tasks.length > max && (
        <p class="soft">{count(tasks.length - max)} older tasks are not listed.</p>
      )}
    </>
  );

const TaskRow = ({ task }: { readonly task: Task }) => {
  const { verb, identifier, status, queuedAt, progress, removed, exception } = task;
  return (
    <li>
      <span class={`pill ${states[status].tone}`}>{states[status].label}</span>
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
        {exception !== undefined && <small class="bad">{exception.message}</small>}
      </span>
      <span class="task-progress">
        {status === "RUNNING" ? (
          <Progress part={progress} label={verbWords[verb]?.title ?? verb} />
        ) : null}
      </span>
      <span class="number">
        {count(removed.entries)} <small>removed</small>
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

const Took = ({ task: { startedAt, stoppedAt } }: { readonly task: Task }) => {
  const { now } = usePanel();
  if (startedAt === undefined) return null;
  const began = Date.parse(startedAt);
  if (stoppedAt === undefined) return <>{duration(now.value - began)}</>;
  const ms = Date.parse(stoppedAt) - began;
  return <>{ms < 10_000 ? milliseconds(ms) : duration(ms)}</>;
};
