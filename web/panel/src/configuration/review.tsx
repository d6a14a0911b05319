import { plural } from "../format/numbers.ts";
import { usePanel } from "../panel.ts";
import { RequestError } from "../server/api.ts";
import type { AppliedChanges, ChangeOutcome, ConfigurationReport } from "../server/wire.ts";
import { Dialog } from "../ui/dialog.tsx";
import { type Difference, reversed } from "./differences.ts";

interface Props {
  readonly report: ConfigurationReport;
  readonly changed: readonly Difference[];
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** Shows the changes, before and after, and saves them. */
export const Review = ({ report, changed, onClose, onSaved }: Props) => {
  const { api, draft, notices } = usePanel();

  const save = async (): Promise<void> => {
    const edits = Object.fromEntries(changed.map(({ entry, value }) => [entry.key, value]));
    const back = reversed(report, edits);
    const outcome = await put(edits);
    if (!outcome.ok) throw new Error(outcome.problems.map(({ message }) => message).join(" "));
    draft.settle();
    onSaved();
    const undoable = Object.keys(back.edits).length > 0;
    notices.say(
      outcome.written ? "good" : "bad",
      told(outcome, back.lost),
      undoable ? { label: "Undo …", act: () => draft.replace(back.edits) } : undefined,
    );
  };

  const put = (edits: Readonly<Record<string, string | null>>): Promise<ChangeOutcome> =>
    api<ChangeOutcome>("configuration", { method: "PUT", body: edits }).catch((error: unknown) => {
      // The body has the faults, key by key.
      if (error instanceof RequestError && isOutcome(error.body)) return error.body;
      throw error;
    });

  return (
    <Dialog
      title="Save these changes?"
      action={`Save ${plural(changed.length, "change")}`}
      onAction={save}
      onClose={onClose}
      wide
    >
      <ul class="differences">
        {changed.map(({ entry, before, after }) => (
          <li key={entry.key}>
            <h3 class="code">{entry.key}</h3>
            <p>
              <del>{before}</del> <span aria-hidden="true">→</span> <ins>{after}</ins>
            </p>
            {entry.definition.restart === true && (
              <small class="warn">Takes effect after a restart.</small>
            )}
            {entry.origin.layer === "environment" && (
              <small class="warn">
                The variable {entry.variable} overrides the file: the server keeps its value.
              </small>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
};

const isOutcome = (body: unknown): body is Extract<ChangeOutcome, { ok: false }> =>
  typeof body === "object" && body !== null && "problems" in body && Array.isArray(body.problems);

const told = (
  { changed, pending, overridden, warnings, written }: AppliedChanges,
  lost: readonly string[],
): string =>
  [
    `${plural(changed.length, "key")} changed.`,
    pending.length > 0 ? `After a restart: ${pending.join(", ")}.` : "",
    overridden.length > 0 ? `Overridden by the environment: ${overridden.join(", ")}.` : "",
    warnings.length > 0 ? `Needs attention, above: ${plural(warnings.length, "warning")}.` : "",
    written ? "" : "They are not in a file and are lost when the server stops.",
    lost.length > 0 ? `Cannot be undone, since they are secret: ${lost.join(", ")}.` : "",
  ]
    .filter((part) => part !== "")
    .join(" ");
