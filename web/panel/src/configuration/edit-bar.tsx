import { useSignal } from "@preact/signals";
import { plural } from "../format/numbers.ts";
import { usePanel } from "../panel.ts";
import type { ConfigurationReport } from "../server/wire.ts";
import { Icon } from "../ui/icon.tsx";
import type { Check } from "./check.ts";
import type { Difference } from "./differences.ts";
import { Review } from "./review.tsx";

interface Props {
  readonly report: ConfigurationReport;
  readonly changed: readonly Difference[];
  readonly check: Check;
  readonly onSaved: () => void;
}

/** Actions on the edits; shown at the bottom of the window while there are any. */
export const EditBar = ({ report, changed, check, onSaved }: Props) => {
  const { draft } = usePanel();
  const reviews = useSignal(false);
  const wrong = Object.keys(check.byKey).length + check.others.length;
  return (
    <section class="edit-bar" aria-label="Unsaved changes">
      <p role="status">
        <b>{plural(changed.length, "change")}</b>{" "}
        <span class={wrong > 0 ? "bad" : "soft"}>
          {check.busy ? "checking …" : wrong > 0 ? plural(wrong, "problem") : "all right"}
        </span>
      </p>
      {check.others.map((message) => (
        <p key={message} class="problem">
          {message}
        </p>
      ))}
      <span class="actions">
        <button
          type="button"
          class="bare"
          disabled={!draft.canUndo.value}
          onClick={draft.undo}
          aria-label="Undo"
          title="Undo"
        >
          <Icon name="undo" />
        </button>
        <button
          type="button"
          class="bare"
          disabled={!draft.canRedo.value}
          onClick={draft.redo}
          aria-label="Redo"
          title="Redo"
        >
          <Icon name="redo" />
        </button>
        <button type="button" onClick={() => draft.replace({})}>
          Discard
        </button>
        <button
          type="button"
          class="primary"
          disabled={wrong > 0 || check.busy}
          onClick={() => {
            reviews.value = true;
          }}
        >
          Review …
        </button>
      </span>
      {reviews.value && (
        <Review
          report={report}
          changed={changed}
          onClose={() => {
            reviews.value = false;
          }}
          onSaved={onSaved}
        />
      )}
    </section>
  );
};
