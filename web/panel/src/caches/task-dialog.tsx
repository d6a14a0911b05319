import { useSignal } from "@preact/signals";
import { percent } from "../format/numbers.ts";
import { usePanel } from "../panel.ts";
import type { Task, TaskRequest } from "../server/wire.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Progress } from "../ui/meter.tsx";
import { resultText } from "./result.ts";
import { isMaking, verbWords } from "./verbs.ts";

interface Props {
  readonly request: TaskRequest;
  readonly onClose: () => void;
  /** Called when the server has accepted the task. */
  readonly onBegun: (task: Task) => void;
  /** Called when it has succeeded while the dialog was open. */
  readonly onDone: (task: Task) => void;
}

/** Polling interval of the task's progress in milliseconds. */
const pace = 300;
/**
 * Milliseconds for which the dialog stays open to report the result; longer tasks continue without
 * it.
 */
const patience = 15_000;

/**
 * Asks for confirmation and starts the task. Of a purge it shows the progress; what makes pyramids
 * may take days, and continues without it.
 */
export const TaskDialog = ({ request, onClose, onBegun, onDone }: Props) => {
  const { api, notices } = usePanel();
  const task = useSignal<Task | undefined>(undefined);
  const words = verbWords[request.verb];

  const begin = async (): Promise<void> => {
    task.value = await api<Task>("tasks", { method: "POST", body: request });
    onBegun(task.value);
    if (isMaking(request.verb)) return;
    const end = Date.now() + patience;
    while (!isOver(task.value)) {
      if (Date.now() > end) {
        notices.say(
          "good",
          `${words.title}: still running; see the list of tasks for its progress.`,
        );
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, pace));
      task.value = await api<Task>(`tasks/${task.value.uuid}`);
    }
    if (task.value.status === "FAILED")
      throw new Error(
        task.value.exception?.message ??
          `It failed. The log has the reason under task ${task.value.uuid}.`,
      );
    onDone(task.value);
  };

  return (
    <Dialog
      title={`${words.title}?`}
      action={words.action}
      danger={!isMaking(request.verb)}
      onAction={begin}
      onClose={onClose}
    >
      <p>{words.help}</p>
      {request.identifier !== undefined && <p class="code break">{request.identifier}</p>}
      <p class="row start progress-line" aria-live="polite">
        {task.value && (
          <>
            <Progress part={task.value.progress} label={words.title} />
            <span>
              {percent(task.value.progress)}, {resultText(task.value)}
            </span>
          </>
        )}
      </p>
    </Dialog>
  );
};

const isOver = ({ status }: Task): boolean => status === "SUCCEEDED" || status === "FAILED";
