import { useId } from "preact/hooks";
import { usePanel } from "../panel.ts";
import type { ConfigurationEntry, Lock, ProblemOrigin } from "../server/wire.ts";
import { Icon } from "../ui/icon.tsx";
import { blank, hidden, settledValue } from "./differences.ts";
import { Doc } from "./doc.tsx";
import { Field } from "./field.tsx";
import { meaningOf } from "./meanings.ts";

interface Props {
  readonly entry: ConfigurationEntry;
  /** Its new value, null for the default; undefined where it is not edited. */
  readonly edit: string | null | undefined;
  readonly problem: string | undefined;
}

/** A key: its purpose, its value and the value's origin, and a field to change it. */
export const Entry = ({ entry, edit, problem }: Props) => {
  const { draft } = usePanel();
  const id = useId();
  const { key, definition, secret, lock } = entry;
  const kept = settledValue(entry);
  const value = edit === null ? entry.default : (edit ?? (secret ? "" : kept));
  const described = [
    `${id}-doc`,
    lock ? `${id}-lock` : "",
    `${id}-facts`,
    problem === undefined ? "" : `${id}-problem`,
  ]
    .filter((part) => part !== "")
    .join(" ");
  const set = (text: string): void =>
    // An unchanged value is no edit; a secret's field is empty until something is typed.
    draft.edit(key, text === (secret ? "" : kept) ? undefined : text);
  return (
    <div
      class={`entry${edit === undefined ? "" : " edited"}${problem === undefined ? "" : " wrong"}`}
    >
      <div class="entry-text">
        <label class="code" for={id}>
          {key}
        </label>
        {definition.restart === true && <span class="mark">needs a restart</span>}
        {lock && <span class="mark">file only</span>}
        <p id={`${id}-doc`} class="doc">
          <Doc text={definition.doc} />
        </p>
      </div>
      <div class="entry-field">
        <Field
          id={id}
          entry={entry}
          value={value}
          described={described}
          wrong={problem !== undefined}
          onChange={set}
        />
        {problem !== undefined && (
          <p id={`${id}-problem`} class="problem" role="alert">
            {problem}
          </p>
        )}
        {lock && <LockText id={`${id}-lock`} lock={lock} />}
        <Facts id={`${id}-facts`} entry={entry} value={value} />
        {!lock && <Acts entry={entry} edit={edit} />}
      </div>
    </div>
  );
};

/** Why a key cannot be changed here; the remedy is shown once, above all keys. */
const LockText = ({ id, lock }: { readonly id: string; readonly lock: Lock }) => (
  <p id={id} class="entry-lock">
    <Icon name="lock" />
    <span>Only in the file, since {lock.reason}.</span>
  </p>
);

interface FactsProps {
  readonly id: string;
  readonly entry: ConfigurationEntry;
  readonly value: string;
}

const Facts = ({ id, entry, value }: FactsProps) => {
  const { definition, origin, waiting } = entry;
  const meaning = meaningOf(definition, value);
  return (
    <p id={id} class="entry-facts">
      {meaning !== undefined && <span>= {meaning}</span>}
      <OriginText origin={origin} />
      <span>
        default <span class="code">{shown(entry, entry.default)}</span>
      </span>
      {waiting !== undefined && (
        <span class="warn">
          runs with <span class="code">{shown(entry, entry.value)}</span> until the restart
        </span>
      )}
      {origin.layer === "environment" && (
        <span class="warn">a change goes to the file, but the variable overrides it</span>
      )}
    </p>
  );
};

/** A value for display. */
const shown = ({ secret }: ConfigurationEntry, text: string): string => {
  if (text === "") return blank;
  return secret ? hidden : text;
};

const Acts = ({ entry, edit }: Pick<Props, "entry" | "edit">) => {
  const { draft } = usePanel();
  const { key, origin } = entry;
  const isDefault = edit === null || (edit === undefined && origin.layer === "default");
  return (
    <p class="entry-acts">
      {edit !== undefined && (
        <button type="button" class="plain" onClick={() => draft.edit(key, undefined)}>
          Undo<span class="unseen"> the change of {key}</span>
        </button>
      )}
      {!isDefault && (
        <button type="button" class="plain" onClick={() => draft.edit(key, null)}>
          Use the default<span class="unseen"> of {key}</span>
        </button>
      )}
    </p>
  );
};

const OriginText = ({ origin }: { readonly origin: ProblemOrigin }) => {
  switch (origin.layer) {
    case "default":
      return <span>not set</span>;
    case "file":
      return (
        <span title={`${origin.file}, line ${origin.line}`}>
          from {origin.file.split("/").at(-1)}, line {origin.line}
        </span>
      );
    case "environment":
      return (
        <span>
          from the environment, <span class="code">{origin.variable}</span>
        </span>
      );
    case "runtime":
      return <span>changed since the start</span>;
  }
};
