import { useSignal } from "@preact/signals";
import { TaskDialog } from "../caches/task-dialog.tsx";
import { usePanel } from "../panel.ts";

interface Props {
  readonly identifier: string;
  /** Called when it is done. */
  readonly onPurged: () => void;
}

/** Purges an image from the caches. */
export const PurgeItem = ({ identifier, onPurged }: Props) => {
  const asked = useSignal(false);
  const { notices } = usePanel();
  return (
    <>
      <button
        type="button"
        class="danger"
        onClick={() => {
          asked.value = true;
        }}
      >
        Purge this image …
      </button>
      {asked.value && (
        <TaskDialog
          request={{ verb: "PurgeItemFromCache", identifier }}
          onClose={() => {
            asked.value = false;
          }}
          onBegun={() => undefined}
          onDone={({ removed }) => {
            notices.say("good", `“${identifier}” was purged: ${removed.entries} entries removed.`);
            onPurged();
          }}
        />
      )}
    </>
  );
};
