import { useSignal } from "@preact/signals";
import { resultText } from "../caches/result.ts";
import { TaskDialog } from "../caches/task-dialog.tsx";
import { TaskList } from "../caches/task-list.tsx";
import { isMaking, isOfPyramids, verbWords } from "../caches/verbs.ts";
import { usePanel } from "../panel.ts";
import { useLive } from "../server/live.ts";
import type { Status, Task, TaskRequest } from "../server/wire.ts";
import { Empty, Loaded } from "../ui/states.tsx";
import { PyramidActions } from "./pyramid-actions.tsx";
import { PyramidFigures } from "./pyramid-figures.tsx";
import { PyramidList } from "./pyramid-list.tsx";

/** The pyramids made of images that are slow to zoom. */
export const Pyramids = () => {
  const status = useLive<Status>("status", 3);
  return (
    <Loaded live={status}>
      {({ caches }) => {
        const layer = caches.find((one) => one.layer === "pyramids");
        return layer === undefined ? (
          <Empty>
            Pyramids are switched off. To use them, set pyramids.enabled to true and restart.
          </Empty>
        ) : (
          <>
            <PyramidFigures layer={layer} />
            <Managed onChange={status.again} />
          </>
        );
      }}
    </Loaded>
  );
};

/** Actions, running tasks and the list. */
const Managed = ({ onChange }: { readonly onChange: () => void }) => {
  const { notices } = usePanel();
  const tasks = useLive<readonly Task[]>("tasks", 1.5);
  const asked = useSignal<TaskRequest | undefined>(undefined);
  const version = useSignal(0);
  const ask = (request: TaskRequest): void => {
    asked.value = request;
  };
  const refresh = (): void => {
    version.value++;
    tasks.again();
    onChange();
  };
  const begun = ({ verb }: Task): void => {
    if (isMaking(verb))
      notices.say("good", `${verbWords[verb].title}: started; its progress is shown here.`);
    refresh();
  };
  return (
    <>
      <PyramidActions onAsk={ask} />
      <section class="card" aria-labelledby="pyramid-tasks">
        <h2 id="pyramid-tasks">Tasks</h2>
        <Loaded live={tasks}>
          {(value) => (
            <TaskList
              tasks={value.filter(({ verb }) => isOfPyramids(verb))}
              onCancelled={refresh}
            />
          )}
        </Loaded>
      </section>
      <PyramidList onAsk={ask} version={version.value} />
      {asked.value && (
        <TaskDialog
          request={asked.value}
          onClose={() => {
            asked.value = undefined;
            refresh();
          }}
          onBegun={begun}
          onDone={(task) =>
            notices.say("good", `${verbWords[task.verb].title}: done, ${resultText(task)}.`)
          }
        />
      )}
    </>
  );
};
