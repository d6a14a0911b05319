import { useSignal } from "@preact/signals";
import { usePanel } from "../panel.ts";
import type { TaskRequest } from "../server/wire.ts";
import { resultText } from "./result.ts";
import { TaskDialog } from "./task-dialog.tsx";
import { cachePurges, verbWords } from "./verbs.ts";

/** What can be purged from the caches. */
export const Purges = ({ onChange }: { readonly onChange: () => void }) => {
  const { notices } = usePanel();
  const asked = useSignal<TaskRequest | undefined>(undefined);
  return (
    <section class="card" aria-labelledby="purges">
      <h2 id="purges">Purge</h2>
      <ul class="purges">
        {cachePurges.map((verb) => (
          <li key={verb}>
            <div>
              <h3>{verbWords[verb].title}</h3>
              <p class="soft">{verbWords[verb].help}</p>
            </div>
            <form
              onSubmit={(event) => {
                event.preventDefault();
                const identifier = new FormData(event.currentTarget).get("identifier");
                asked.value =
                  typeof identifier === "string"
                    ? { verb, identifier: identifier.trim() }
                    : { verb };
              }}
            >
              {verb === "PurgeItemFromCache" && (
                <input
                  name="identifier"
                  class="code"
                  aria-label="Identifier of the image"
                  placeholder="Identifier"
                  autocomplete="off"
                  autocapitalize="none"
                  spellcheck={false}
                  required
                />
              )}
              <button type="submit" class={verb === "PurgeCache" ? "danger" : ""}>
                Purge …<span class="unseen"> {verbWords[verb].title}</span>
              </button>
            </form>
          </li>
        ))}
      </ul>
      {asked.value && (
        <TaskDialog
          request={asked.value}
          onClose={() => {
            asked.value = undefined;
            onChange();
          }}
          onBegun={onChange}
          onDone={(task) =>
            notices.say("good", `${verbWords[task.verb].title}: done, ${resultText(task)}.`)
          }
        />
      )}
    </section>
  );
};
