import { useLive } from "../server/live.ts";
import type { Status, Task } from "../server/wire.ts";
import { Loaded } from "../ui/states.tsx";
import { CacheList } from "./cache-list.tsx";
import { Purges } from "./purges.tsx";
import { TaskList } from "./task-list.tsx";

/** The caches, what can be purged, and running tasks. */
export const Caches = () => {
  const status = useLive<Status>("status", 3);
  const tasks = useLive<readonly Task[]>("tasks", 1.5);
  return (
    <>
      <section aria-labelledby="caches">
        <h2 id="caches">Caches</h2>
        <Loaded live={status}>{(value) => <CacheList caches={value.caches} />}</Loaded>
      </section>
      <Purges
        onChange={() => {
          tasks.again();
          status.again();
        }}
      />
      <section class="card" aria-labelledby="tasks">
        <h2 id="tasks">Tasks</h2>
        <Loaded live={tasks}>
          {(value) => <TaskList tasks={value} onCancelled={tasks.again} />}
        </Loaded>
      </section>
    </>
  );
};
